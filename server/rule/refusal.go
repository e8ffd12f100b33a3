package rule

import (
	"maps"
	"slices"
)

// Disposition is what a refusal does to the row it refuses.
type Disposition string

// The dispositions of the table.
const (
	// None leaves the row as it is: the asker has no claim on it.
	None Disposition = "none"
	// Wait puts the row back in the queue with what it waits for.
	Wait Disposition = "wait"
	// Cancel ends the row before its start.
	Cancel Disposition = "cancel"
	// Park keeps the row in the queue, not to be leased until a person acts.
	Park Disposition = "park"
)

// Refusal is the stable code of a refused lease or start; "" is none.
type Refusal string

// The refusals of the table. init panics if they differ from it.
const (
	Allow              Refusal = ""
	UnknownLease       Refusal = "unknown_lease"
	StaleLease         Refusal = "stale_lease"
	LeaseExpired       Refusal = "lease_expired"
	AlreadyStarted     Refusal = "already_started"
	Superseded         Refusal = "superseded"
	NotGranted         Refusal = "not_granted"
	StartUnrecorded    Refusal = "start_unrecorded"
	AccountBusy        Refusal = "account_busy"
	CheckFirst         Refusal = "check_first"
	AccountStopped     Refusal = "account_stopped"
	BreakerTripped     Refusal = "breaker_tripped"
	AccountPaused      Refusal = "account_paused"
	InstallPaused      Refusal = "install_paused"
	WorkspacePaused    Refusal = "workspace_paused"
	EverythingPaused   Refusal = "everything_paused"
	AccountCoolingDown Refusal = "account_cooling_down"
	TooEarly           Refusal = "too_early"
	PersonLimit        Refusal = "person_limit"
	OutsideHours       Refusal = "outside_hours"
	DayLimit           Refusal = "day_limit"
	HourLimit          Refusal = "hour_limit"
	MinimumGap         Refusal = "minimum_gap"
	NotArmed           Refusal = "not_armed"
	ApprovalMissing    Refusal = "approval_missing"
	ApprovalExpired    Refusal = "approval_expired"
	ContentChanged     Refusal = "content_changed"
	Withdrawn          Refusal = "withdrawn"
	Closed             Refusal = "closed"
	Suppressed         Refusal = "suppressed"
	OwnedByColleague   Refusal = "owned_by_colleague"
	Replied            Refusal = "replied"
	WindowClosed       Refusal = "window_closed"
	ScheduleStale      Refusal = "schedule_stale"
	SiblingExists      Refusal = "sibling_exists"
	FollowedSent       Refusal = "followed_sent"
	AlreadyDelivered   Refusal = "already_delivered"
	MayHaveReached     Refusal = "may_have_reached"
	ReleasedTooOften   Refusal = "released_too_often"
)

func refusalConstants() []Refusal {
	return []Refusal{
		UnknownLease, StaleLease, LeaseExpired, AlreadyStarted, Superseded, NotGranted, StartUnrecorded, AccountBusy, CheckFirst,
		AccountStopped, BreakerTripped, AccountPaused, InstallPaused, WorkspacePaused, EverythingPaused, AccountCoolingDown,
		TooEarly, PersonLimit, OutsideHours, DayLimit, HourLimit, MinimumGap, NotArmed, ApprovalMissing, ApprovalExpired,
		ContentChanged, Withdrawn, Closed, Suppressed, OwnedByColleague, Replied, WindowClosed, ScheduleStale, SiblingExists, FollowedSent, AlreadyDelivered, MayHaveReached,
		ReleasedTooOften,
	}
}

func init() {
	constants := refusalConstants()
	if len(constants) != len(theTable.Refusals) {
		panic("shared/statuses.json and server/rule list different refusals")
	}
	for _, r := range constants {
		if _, ok := theTable.Refusals[string(r)]; !ok {
			panic("shared/statuses.json lacks the refusal " + string(r))
		}
	}
}

// Disposition says what the refusal does to its row.
func (r Refusal) Disposition() Disposition {
	if r == Allow {
		return None
	}
	return theTable.Refusals[string(r)]
}

// Refusals lists every refusal in alphabetical order.
func Refusals() []Refusal {
	names := slices.Sorted(maps.Keys(theTable.Refusals))
	out := make([]Refusal, len(names))
	for i, name := range names {
		out[i] = Refusal(name)
	}
	return out
}
