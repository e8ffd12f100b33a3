package rule

import "slices"

// Look is what the fresh load of the conversation showed after the act.
type Look string

// The looks of the table.
const (
	LookFound      Look = "found"
	LookAbsent     Look = "absent"
	LookImpossible Look = "impossible"
)

// Answer is what was seen of the delivery request: Kind is one of the table's answer_kinds, Status the number when Kind
// is "status" and 0 otherwise.
type Answer struct {
	Kind   string `json:"kind"`
	Status int    `json:"status,omitempty"`
}

// The kinds of answer.
const (
	AnswerStatus   = "status"
	AnswerRedirect = "redirect"
	AnswerSignIn   = "sign_in"
	AnswerNone     = "none"
	AnswerLost     = "lost"
)

// Acted is the end of an attempt that clicked Send, or of which that cannot be excluded.
type Acted struct {
	Answer Answer
	// Double: the page made two delivery requests for one click. Foreign: one was seen that no click of ours made.
	Double, Foreign bool
	Look            Look
	// Copies counts the own equal messages that were not there before the act. It matters only when Look is found.
	Copies int
}

// Outcome is what a report, a sweep or a person makes of a send. Reason is set with the code not_attempted, Incident
// when a person must know although the status stands.
type Outcome struct {
	Status   Status
	Code     string
	Reason   string
	Incident string
}

// The codes that code outside the table must name.
const (
	CodeNotAttempted = "not_attempted"
	CodeSenderLost   = "sender_lost"
	CodeServerError  = "server_error"
	// ReasonSignedOut is also what a page is called that asks for a check.
	ReasonSignedOut          = "signed_out"
	CodeNoEvidence           = "no_evidence"
	CodeDeadlinePassed       = "deadline_passed"
	CodeResolvedDelivered    = "resolved_delivered"
	CodeResolvedNotDelivered = "resolved_not_delivered"
)

type answerRange struct {
	Kind string `json:"kind"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

func (r answerRange) matches(a Answer) bool {
	if r.Kind != "" {
		return a.Kind == r.Kind
	}
	return a.Kind == AnswerStatus && r.From <= a.Status && a.Status <= r.To
}

func anyMatches(ranges []answerRange, a Answer) bool {
	return len(ranges) == 0 || slices.ContainsFunc(ranges, func(r answerRange) bool { return r.matches(a) })
}

type outcomeRow struct {
	Answer   []answerRange `json:"answer"`
	Look     []Look        `json:"look"`
	Copies   string        `json:"copies"`
	Double   bool          `json:"double"`
	Foreign  bool          `json:"foreign"`
	Status   Status        `json:"status"`
	Code     string        `json:"code"`
	Incident string        `json:"incident"`
}

func (r outcomeRow) matches(a Acted) bool {
	return anyMatches(r.Answer, a.Answer) &&
		(len(r.Look) == 0 || slices.Contains(r.Look, a.Look)) &&
		(r.Copies == "" || a.Copies > 1) &&
		(!r.Double || a.Double) &&
		(!r.Foreign || a.Foreign)
}

// Classify says what an attempt that acted has come to: the first row of the table that matches. The last row of the
// table has no condition, so there always is one.
func Classify(a Acted) Outcome {
	for _, row := range theTable.Outcomes {
		if row.matches(a) {
			return Outcome{Status: row.Status, Code: row.Code, Incident: row.Incident}
		}
	}
	panic("shared/statuses.json: the last outcome has a condition")
}

// Box is what became of our own text in the page's message box.
type Box string

// The boxes of the table. Gone: the tab went away with our text in it. Emptied: by another hand.
const (
	BoxUntouched Box = "untouched"
	BoxCleared   Box = "cleared"
	BoxLeft      Box = "left"
	BoxEmptied   Box = "emptied"
	BoxGone      Box = "gone"
)

// Find is whether an equal own message already stood in the conversation before anything was typed.
type Find string

// The finds of the table. Fresh: newer than the approval less 5 minutes and not held by another message's send.
const (
	FindNone  Find = "none"
	FindFresh Find = "fresh"
	FindOld   Find = "old"
)

// Unacted is the end of an attempt that says it did not click Send.
type Unacted struct {
	Reason string
	Find   Find
	Box    Box
	// Request: a delivery request was seen all the same.
	Request bool
	// Unbroken: the page script and its worker lived in one piece from the start to this end.
	Unbroken bool
}

type endRow struct {
	Find     []Find `json:"find"`
	Box      []Box  `json:"box"`
	Request  *bool  `json:"request"`
	Unbroken *bool  `json:"unbroken"`
	Status   Status `json:"status"`
	Code     string `json:"code"`
}

func (r endRow) matches(u Unacted) bool {
	return (len(r.Find) == 0 || slices.Contains(r.Find, u.Find)) &&
		(len(r.Box) == 0 || slices.Contains(r.Box, u.Box)) &&
		(r.Request == nil || *r.Request == u.Request) &&
		(r.Unbroken == nil || *r.Unbroken == u.Unbroken)
}

// End says what an attempt that did not act has come to: the first row of the table that matches.
func End(u Unacted) Outcome {
	for _, row := range theTable.Ends {
		if row.matches(u) {
			outcome := Outcome{Status: row.Status, Code: row.Code}
			if row.Code == CodeNotAttempted {
				outcome.Reason = u.Reason
			}
			return outcome
		}
	}
	panic("shared/statuses.json: the last end has a condition")
}

// Effect is what an answer does to the account, whatever became of the message.
type Effect string

// The effects of the table.
const (
	EffectNone     Effect = ""
	EffectStop     Effect = "stop"
	EffectCoolDown Effect = "cool_down"
)

type effectRow struct {
	Answer []answerRange `json:"answer"`
	Effect Effect        `json:"effect"`
}

// AccountEffect follows the answer alone.
func AccountEffect(a Answer) Effect {
	for _, row := range theTable.AccountEffects {
		if anyMatches(row.Answer, a) {
			return row.Effect
		}
	}
	return EffectNone
}

// ReportCodes lists every code that a report may come to.
func ReportCodes() []string {
	var codes []string
	for _, row := range theTable.Outcomes {
		codes = append(codes, row.Code)
	}
	for _, row := range theTable.Ends {
		codes = append(codes, row.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// Requeued reports whether a machine may make the message's next send after a failure with this code.
func Requeued(code string) bool { return slices.Contains(theTable.RequeuedCodes, code) }

// RequeuedCodes lists those codes.
func RequeuedCodes() []string { return slices.Clone(theTable.RequeuedCodes) }

// KnownLook, KnownBox, KnownFind, KnownReason and KnownAnswerKind report whether a word of a report is in the table.
func KnownLook(l Look) bool { return slices.Contains(theTable.Looks, l) }

// KnownBox is explained at KnownLook.
func KnownBox(b Box) bool { return slices.Contains(theTable.Boxes, b) }

// KnownFind is explained at KnownLook.
func KnownFind(f Find) bool { return slices.Contains(theTable.Finds, f) }

// KnownReason is explained at KnownLook.
func KnownReason(reason string) bool { return slices.Contains(theTable.Reasons, reason) }

// KnownAnswerKind is explained at KnownLook.
func KnownAnswerKind(kind string) bool { return slices.Contains(theTable.AnswerKinds, kind) }

// Reasons lists the reasons of not_attempted.
func Reasons() []string { return slices.Clone(theTable.Reasons) }

// Looks, Boxes and Finds list the words of the table.
func Looks() []Look { return slices.Clone(theTable.Looks) }

// Boxes is explained at Looks.
func Boxes() []Box { return slices.Clone(theTable.Boxes) }

// Finds is explained at Looks.
func Finds() []Find { return slices.Clone(theTable.Finds) }
