package rule

import "strings"

// words are what people read. They are not part of the rules digest.
type words struct {
	Actors   map[Actor]string `json:"actors"`
	Statuses map[Status]struct {
		Label string `json:"label"`
		Text  string `json:"text"`
	} `json:"statuses"`
	Instructions map[string]string `json:"instructions"`
	Codes        map[string]string `json:"codes"`
	Reasons      map[string]string `json:"reasons"`
	Refusals     map[string]string `json:"refusals"`
	Requeues     struct {
		Later string `json:"later"`
		Over  string `json:"over"`
	} `json:"requeues"`
	Stops map[string]string `json:"stops"`
}

// Label is the short name of a status for people; Text says what it means for them.
func (s Status) Label() string { return theTable.Words.Statuses[s].Label }

// Text is explained at Label.
func (s Status) Text() string { return theTable.Words.Statuses[s].Text }

// Text says in a sentence why a start was refused.
func (r Refusal) Text() string { return theTable.Words.Refusals[string(r)] }

// Instruction is what a person must do about a send in this status on this channel ("linkedin" or "email"), or "" when
// there is nothing to do.
func Instruction(s Status, channel string) string {
	if s != Unconfirmed {
		return ""
	}
	return theTable.Words.Instructions[channel]
}

// CodeText is the sentence for an outcome's code, or for its reason when it has one.
func CodeText(code, reason string) string {
	if reason != "" {
		return theTable.Words.Codes[code] + " " + theTable.Words.Reasons[reason]
	}
	return theTable.Words.Codes[code]
}

// RequeueText says of what a machine may try again whether it still will.
func RequeueText(later bool) string {
	if later {
		return theTable.Words.Requeues.Later
	}
	return theTable.Words.Requeues.Over
}

// burst begins the code of an account that its breaker stopped.
const burst = "burst_"

// BurstCode is the code of an account that was stopped by a burst of this trouble.
func BurstCode(trouble string) string { return burst + trouble }

// IsBurst reports whether the account was stopped by its breaker.
func IsBurst(stopped string) bool { return strings.HasPrefix(stopped, burst) }

// StopText is the plain reason of a stop, or "" when its code says no more than the refusal.
func StopText(stopped string) string { return theTable.Words.Stops[stopped] }
