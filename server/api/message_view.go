package api

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// messageView is a message as programs see it: the receipt. History is null in lists.
type messageView struct {
	ID            uuid.UUID         `json:"id"`
	Version       int               `json:"version"`
	Digest        string            `json:"digest"`
	Authority     message.Authority `json:"authority"`
	Status        *rule.Status      `json:"status"`
	Instruction   *string           `json:"instruction"`
	WaitingFor    *rule.Refusal     `json:"waiting_for"`
	WaitingUntil  *time.Time        `json:"waiting_until"`
	AccountID     uuid.UUID         `json:"account_id"`
	Channel       string            `json:"channel"`
	Person        personView        `json:"person"`
	Purpose       string            `json:"purpose"`
	Task          *string           `json:"task"`
	Sequence      *inSequenceView   `json:"sequence"`
	Follows       *followsView      `json:"follows"`
	Subject       *string           `json:"subject"`
	Body          string            `json:"body"`
	Template      *originView       `json:"template"`
	ExpiredAt     *time.Time        `json:"content_expired_at"`
	SendAfter     *time.Time        `json:"send_after"`
	SendBefore    *time.Time        `json:"send_before"`
	ClientRelease string            `json:"client_release"`
	CreatedBy     string            `json:"created_by"`
	CreatedAt     time.Time         `json:"created_at"`
	Approval      *approvalView     `json:"approval"`
	Rejection     *rejectionView    `json:"rejection"`
	Closure       *closureView      `json:"closure"`
	Delivery      *reachedView      `json:"delivery"`
	Sends         []sendView        `json:"sends"`
	History       *[]eventView      `json:"history,omitzero"`
	// HistoryLeftOut counts older lines; null in lists, as History is.
	HistoryLeftOut *int `json:"history_left_out,omitzero"`
}

// originView is the template that the current version was written from; null when it was not.
type originView struct {
	ID      uuid.UUID `json:"id"`
	Version int       `json:"version"`
}

// inSequenceView is the step of a sequence that the message is, and the enrolment that it was proposed for; null when it is none.
type inSequenceView struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	StepID      uuid.UUID `json:"step_id"`
	EnrolmentID uuid.UUID `json:"enrolment_id"`
}

// followsView is the send that the message follows, as it is now; null when it follows none.
type followsView struct {
	Send      uuid.UUID   `json:"send"`
	MessageID uuid.UUID   `json:"message_id"`
	Status    rule.Status `json:"status"`
	Why       string      `json:"why"`
}

type personView struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	LinkedIn []string  `json:"linkedin"`
	Email    []string  `json:"email"`
}

type approvalView struct {
	Version        int       `json:"version"`
	Digest         string    `json:"digest"`
	Approver       string    `json:"approver"`
	ApprovedAt     time.Time `json:"approved_at"`
	ExpiresAt      time.Time `json:"expires_at"`
	RepeatApproved bool      `json:"repeat_approved"`
	// YesTo are the earlier messages to this person that it was shown and said yes to. Policy is null for a person's approval.
	YesTo  []uuid.UUID `json:"yes_to"`
	Policy *int        `json:"policy"`
	// OverrideOf is the colleague whose claim on the person it passes over, and OverrideWhy why; null for nobody's.
	OverrideOf  *string `json:"override_of"`
	OverrideWhy *string `json:"override_why"`
}

// rejectionView is the no to the current version.
type rejectionView struct {
	By  string    `json:"by"`
	At  time.Time `json:"at"`
	Why string    `json:"why"`
}

type sendView struct {
	ID            uuid.UUID     `json:"id"`
	MessageID     uuid.UUID     `json:"message_id"`
	Ordinal       int           `json:"ordinal"`
	RetryOf       *uuid.UUID    `json:"retry_of"`
	Version       int           `json:"version"`
	Status        rule.Status   `json:"status"`
	Code          *string       `json:"code"`
	Reason        *string       `json:"reason"`
	Text          string        `json:"text"`
	Instruction   *string       `json:"instruction"`
	WaitingFor    *rule.Refusal `json:"waiting_for"`
	WaitingUntil  *time.Time    `json:"waiting_until"`
	Parked        bool          `json:"parked"`
	Attempt       *string       `json:"attempt"`
	InstallID     *uuid.UUID    `json:"install_id"`
	SenderVersion *string       `json:"sender_version"`
	CreatedAt     time.Time     `json:"created_at"`
	StartedAt     *time.Time    `json:"started_at"`
	DeadlineAt    *time.Time    `json:"deadline_at"`
	EndedAt       *time.Time    `json:"ended_at"`
	ConfirmedAt   *time.Time    `json:"confirmed_at"`
	RequeueAt     *time.Time    `json:"requeue_at"`
	// NotDeliveredFrom is when "not_delivered" may be said; null unless it is unconfirmed.
	NotDeliveredFrom *time.Time    `json:"not_delivered_from"`
	TabGone          bool          `json:"tab_gone"`
	NextCheckAt      *time.Time    `json:"next_check_at"`
	Looked           *lookedView   `json:"looked"`
	Evidence         *evidenceView `json:"evidence"`
}

// lookedView is what the newest check came to; null before the first. Counts: it was asked for so late that an absence means
// something. Conversation, messages and back_to are what the browser says that it saw.
type lookedView struct {
	Result       send.CheckResult `json:"result"`
	Text         string           `json:"text"`
	Counts       bool             `json:"counts"`
	AskedAt      *time.Time       `json:"asked_at"`
	AnsweredAt   time.Time        `json:"answered_at"`
	Conversation *string          `json:"conversation"`
	Messages     int              `json:"messages"`
	BackTo       *time.Time       `json:"back_to"`
}

// evidenceView is null as long as nothing was said about the send.
type evidenceView struct {
	Deliveries        []deliveryView `json:"deliveries"`
	DeliveriesLeftOut int            `json:"deliveries_left_out"` // later ones
	Said              []saidView     `json:"said"`
	SaidLeftOut       int            `json:"said_left_out"` // older ones
}

type deliveryView struct {
	ProviderID  string       `json:"provider_id"`
	DeliveredAt *time.Time   `json:"delivered_at"`
	Reached     *reachedView `json:"reached"`
}

type saidView struct {
	Kind       string         `json:"kind"`
	Outcome    string         `json:"outcome"`
	By         *string        `json:"by"`
	Note       *string        `json:"note"`
	ReceivedAt time.Time      `json:"received_at"`
	AskedAt    *time.Time     `json:"asked_at"`
	Body       jsontext.Value `json:"body"`
}

type eventView struct {
	At      time.Time    `json:"at"`
	What    string       `json:"what"`
	By      *string      `json:"by"`
	Version *int         `json:"version"`
	SendID  *uuid.UUID   `json:"send_id"`
	From    *rule.Status `json:"from"`
	To      *rule.Status `json:"to"`
	Code    *string      `json:"code"`
	Reason  *string      `json:"reason"`
}

// showListed is showMessage without the history.
func showListed(m message.Message) messageView {
	v := messageView{
		ID: m.ID, Version: m.Version, Digest: m.Digest, Authority: m.Authority, Status: m.Status(), AccountID: m.Target.Account,
		Channel: m.Target.Channel, Person: showPerson(m.Person), Purpose: m.Target.Purpose, Task: m.Target.Task,
		Subject: m.Content.Subject, Body: m.Content.Body, ExpiredAt: m.Content.ExpiredAt, SendAfter: m.Content.SendAfter, SendBefore: m.Content.SendBefore,
		ClientRelease: m.ClientRelease, CreatedBy: m.CreatedBy, CreatedAt: m.CreatedAt, Closure: showClosure(m.Closure), Delivery: showReached(m.Reached()), Sends: []sendView{},
	}
	if a := m.Approval; a != nil {
		v.Approval = &approvalView{a.Version, a.Digest, a.Approver, a.ApprovedAt, a.ExpiresAt, a.RepeatApproved, a.YesTo, orNull(a.Policy), orNull(a.OverrideOf), orNull(a.OverrideWhy)}
	}
	if r := m.Rejection; r != nil {
		v.Rejection = &rejectionView{r.By, r.At, r.Why}
	}
	if q := m.InSequence; q != nil {
		v.Sequence = &inSequenceView{q.Sequence, q.Name, q.Step, q.Enrolment}
	}
	if o := m.Origin; o != nil {
		v.Template = &originView{o.Template, o.Version}
	}
	if f := m.Followed; f != nil {
		v.Follows = &followsView{f.Send, f.Message, f.Status, f.Why}
	}
	for _, s := range m.Sends {
		v.Sends = append(v.Sends, showSend(s))
	}
	if s := m.Latest(); s != nil && *v.Status == s.Status {
		v.Instruction, v.WaitingFor, v.WaitingUntil = orNull(s.Instruction), orNull(s.WaitingFor), s.WaitingUntil
	}
	return v
}

func showMessage(m message.Message) messageView {
	v := showListed(m)
	history := []eventView{}
	for _, e := range m.History {
		history = append(history, eventView{
			At: e.At, What: e.What, By: orNull(e.By), Version: orNull(e.Version), SendID: e.Send, From: orNull(e.From),
			To: orNull(e.To), Code: orNull(e.Code), Reason: orNull(e.Reason),
		})
	}
	v.History, v.HistoryLeftOut = &history, &m.HistoryLeftOut
	return v
}

func showPerson(p message.Person) personView { return showIdentities(p.ID, p.Name, p.Identities) }

func showIdentities(id uuid.UUID, name string, identities []people.Identity) personView {
	v := personView{ID: id, Name: name, LinkedIn: []string{}, Email: []string{}}
	for _, i := range identities {
		if i.Kind == people.Email {
			v.Email = append(v.Email, i.Value)
			continue
		}
		v.LinkedIn = append(v.LinkedIn, i.ProfileURL())
	}
	return v
}

func showSend(s message.Send) sendView {
	v := sendView{
		ID: s.ID, MessageID: s.Message, Ordinal: s.Ordinal, RetryOf: s.RetryOf, Version: s.Version, Status: s.Status,
		Code: orNull(s.Code), Reason: orNull(s.Reason), Text: s.Text(), Instruction: orNull(s.Instruction),
		WaitingFor: orNull(s.WaitingFor), WaitingUntil: s.WaitingUntil, Parked: s.Parked, Attempt: s.Attempt, InstallID: s.Install, SenderVersion: s.SenderVersion,
		CreatedAt: s.CreatedAt, StartedAt: s.StartedAt, DeadlineAt: s.DeadlineAt, EndedAt: s.EndedAt, ConfirmedAt: s.ConfirmedAt, RequeueAt: s.RequeueAt,
		NotDeliveredFrom: s.NotDeliveredFrom, TabGone: s.TabGone, NextCheckAt: s.NextCheckAt,
	}
	if l := s.Looked(); l != nil {
		v.Looked = &lookedView{l.Result, l.Text, l.Counts, l.AskedAt, l.At, orNull(l.Conversation), l.Messages, l.BackTo}
	}
	if len(s.Deliveries) == 0 && len(s.Evidence) == 0 {
		return v
	}
	v.Evidence = &evidenceView{Deliveries: []deliveryView{}, DeliveriesLeftOut: s.DeliveriesLeftOut, Said: []saidView{}, SaidLeftOut: s.EvidenceLeftOut}
	for _, d := range s.Deliveries {
		v.Evidence.Deliveries = append(v.Evidence.Deliveries, deliveryView{d.ProviderID, d.DeliveredAt, showReached(d.Reached)})
	}
	for _, e := range s.Evidence {
		v.Evidence.Said = append(v.Evidence.Said, saidView{e.Kind, e.Outcome, orNull(e.By), e.Note, e.ReceivedAt, e.AskedAt, jsontext.Value(e.Body)})
	}
	return v
}

// orZero is what a value says; nothing where it is null.
func orZero[T any](v *T) (said T) {
	if v != nil {
		said = *v
	}
	return said
}

// orNull shows a zero value as null.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
