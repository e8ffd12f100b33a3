package sim

import (
	"slices"
	"time"

	"sendonce/server/rule"
)

// paced is what was set for the accounts of a world, in some worlds, before anything began: it stays so.
type paced struct {
	perDay, perHour int
	gap             time.Duration
	opens, closes   int // minutes of the day
}

const paceHeld = "a send waited for its account: "

var paceRefusals = []rule.Refusal{rule.OutsideHours, rule.DayLimit, rule.HourLimit, rule.MinimumGap}

// pacedZone is where the accounts of a paced world live. Such a world begins in the night in which the clocks there are put forward.
const pacedZone = "Europe/Berlin"

// clocksForward is shortly before they are.
func clocksForward() time.Time { return time.Date(2027, time.March, 28, 0, 20, 0, 0, time.UTC) }

// newPace makes up hours and limits so narrow that a world meets them. A jitter would be thrown by what no seed knows.
func (w *World) newPace() *paced {
	opens := w.rng.IntN(4 * 60)
	return &paced{
		perDay: 2 + w.rng.IntN(7), perHour: 2 + w.rng.IntN(5), gap: w.between(0, 4*time.Minute).Truncate(time.Second),
		opens: opens, closes: opens + 90 + w.rng.IntN(5*60),
	}
}

// setPace sets it for every account, over the API.
func (p *people) setPace() {
	if p.w.paced == nil {
		return
	}
	limits := map[string]any{
		"per_day": p.w.paced.perDay, "per_hour": p.w.paced.perHour, "gap_seconds": int(p.w.paced.gap.Seconds()), "jitter_seconds": 0,
		"warm_up_from": 1, "warm_up_days": 0, "why": "nobody is there",
	}
	hours := map[string]any{
		"zone": pacedZone, "opens": clockOf(p.w.paced.opens), "closes": clockOf(p.w.paced.closes), "late_days": 2,
		"days": []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"},
	}
	for _, m := range p.w.site.members {
		path := "/v1/accounts/" + p.accounts[m]
		if !p.ask("PUT", path+"/limits", limits, nil).ok() || !p.ask("PUT", path+"/hours", hours, nil).ok() {
			p.w.t.Fatal("the pace of an account could not be set")
		}
	}
}

func clockOf(minute int) string {
	return time.Date(2000, time.January, 1, 0, minute, 0, 0, time.UTC).Format("15:04")
}

// finallyPace holds what each account has begun against its hours and limits, by this machine's own calendar. Clicks are held against
// starts elsewhere. An attempt that said that it had touched nothing counted only until then: it is left out.
func (w *World) finallyPace() {
	if w.paced == nil {
		return
	}
	zone, err := time.LoadLocation(pacedZone)
	w.must(err)
	for m, account := range w.people.accounts {
		starts := w.startsOf(account)
		for i, at := range starts {
			local := at.In(zone)
			if minute := local.Hour()*60 + local.Minute(); minute < w.paced.opens || minute >= w.paced.closes {
				w.breach("%s began something at %s, outside of its hours", m.slug, local)
			}
			if i >= 1 && at.Sub(starts[i-1]) < w.paced.gap {
				w.breach("%s began something %s after the message before", m.slug, at.Sub(starts[i-1]))
			}
			if before := i - w.paced.perHour; before >= 0 && at.Sub(starts[before]) < time.Hour {
				w.breach("%s began %d messages within %s", m.slug, w.paced.perHour+1, at.Sub(starts[before]))
			}
			if before := i - w.paced.perDay; before >= 0 && starts[before].In(zone).YearDay() == local.YearDay() {
				w.breach("%s began %d messages on one day", m.slug, w.paced.perDay+1)
			}
		}
	}
}

// startsOf are the moments at which the account began what counts, in order.
func (w *World) startsOf(account string) (starts []time.Time) {
	w.must(w.owner.QueryRow(w.ctx, `SELECT coalesce(array_agg(s.started_at ORDER BY s.started_at), '{}') FROM sends s
		WHERE s.account_id::text = $1 AND s.started_at IS NOT NULL
		AND NOT EXISTS (SELECT FROM send_events e WHERE e.send_id = s.id AND e.code = 'not_attempted')`, account).Scan(&starts))
	return slices.Clone(starts)
}
