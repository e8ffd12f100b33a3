package receipt

import (
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/message"
)

// Rows is what a receipt needs beside the message itself, as it stood at ReadAt.
type Rows struct {
	ReadAt    time.Time
	Workspace Workspace
	RepliedAt *time.Time
	Versions  []Version
	Approvals []Approval
	Leases    map[uuid.UUID]Lease // by send
	Incidents []incident.Incident
	Retries   []Retry
}

// Lease is what a send's row holds of its lease and of the bytes that it is bound to.
type Lease struct {
	Digest                      string
	Approval                    uuid.UUID
	Holder                      *Holder
	LeasedAt, ExpiresAt, GoneAt *time.Time
}

// Of tells the story of m, which was read with its history. It is not signed.
func Of(m message.Message, rows Rows) Receipt {
	r := Receipt{
		ReceiptVersion: ShapeVersion, ReadAt: At(rows.ReadAt), Message: messageOf(m, rows.Workspace),
		DeliveryEvidence: deliveryOf(m), Versions: rows.Versions, Approvals: rows.Approvals, Retries: rows.Retries,
	}
	if rows.RepliedAt != nil {
		r.Reply = &Reply{At(*rows.RepliedAt)}
	}
	for _, s := range m.Sends {
		r.Sends = append(r.Sends, sendOf(s, rows.Leases[s.ID]))
	}
	for _, i := range rows.Incidents {
		r.Incidents = append(r.Incidents, Incident{
			ID: i.ID, Kind: i.Kind, Text: i.Kind.Text(), Count: i.Count, OpenedAt: At(i.OpenedAt), LastAt: At(i.LastAt),
			ClosedAt: AtOrNull(i.ClosedAt), ClosedBy: i.ClosedBy, Note: i.Note,
		})
	}
	for _, e := range m.History {
		r.History = append(r.History, Event{
			At: At(e.At), What: e.What, By: orNull(e.By), Version: orNull(e.Version), SendID: e.Send, From: orNull(e.From),
			To: orNull(e.To), Code: orNull(e.Code), Reason: orNull(e.Reason), WaitingFor: orNull(e.WaitingFor), InstallID: e.Install,
		})
	}
	r.bound(m)
	return r
}

func messageOf(m message.Message, workspace Workspace) Message {
	out := Message{
		ID: m.ID, Workspace: workspace, Channel: m.Target.Channel, Purpose: m.Target.Purpose, Task: m.Target.Task,
		Account: Account{ID: m.Account.ID, Handle: m.Account.Handle, MemberURN: m.Account.MemberURN, MemberName: m.Account.MemberName},
		Person:  Person{ID: m.Person.ID, Name: orNull(m.Person.Name)}, Audience: message.AudienceOne,
		Version: m.Version, Digest: m.Digest, SendAfter: AtOrNull(m.Content.SendAfter), SendBefore: AtOrNull(m.Content.SendBefore),
		Authority: m.Authority, Status: m.Status(), Text: authorityTexts[m.Authority],
		ClientRelease: orNull(m.ClientRelease), CreatedBy: m.CreatedBy, CreatedAt: At(m.CreatedAt),
	}
	for _, identity := range m.Person.Identities {
		out.Person.Identities = append(out.Person.Identities, Identity{identity.Kind, identity.Value})
	}
	if q := m.InSequence; q != nil {
		out.Sequence = &Sequence{q.Sequence, q.Name, q.Step, q.Enrolment}
	}
	if f := m.Followed; f != nil {
		out.Follows = &Follows{f.Send, f.Message, f.Why}
	}
	if r := m.Rejection; r != nil {
		out.Rejection = &Rejection{At(r.At), r.By, orNull(r.Why)}
	}
	if c := m.Closure; c != nil {
		out.Closure = &Closure{At(c.At), c.By, c.Why}
	}
	for _, s := range m.Sends {
		if s.Status == *out.Status { // one that is sent, else the latest: the last with this status
			out.Text, out.Instruction = s.Text(), orNull(s.Instruction)
		}
	}
	return out
}

// authorityTexts are for a message that has no send yet.
var authorityTexts = map[message.Authority]string{
	message.Approved:  "It is approved. Nothing was sent yet.",
	message.Proposed:  "It waits for a person's approval. Nothing was sent.",
	message.Rejected:  "It was rejected. Nothing was sent.",
	message.Expired:   "Its approval expired. Nothing was sent.",
	message.Withdrawn: "It was withdrawn. Nothing was sent.",
}

func sendOf(s message.Send, lease Lease) Send {
	out := Send{
		ID: s.ID, Ordinal: s.Ordinal, RetryOf: s.RetryOf, Version: s.Version, Digest: lease.Digest, ApprovalID: lease.Approval,
		Status: s.Status, Code: orNull(s.Code), Reason: orNull(s.Reason), Text: s.Text(), Instruction: orNull(s.Instruction),
		WaitingFor: orNull(s.WaitingFor), WaitingUntil: AtOrNull(s.WaitingUntil), Holder: lease.Holder, ExtensionVersion: s.SenderVersion, Attempt: s.Attempt,
		CreatedAt: At(s.CreatedAt), LeasedAt: AtOrNull(lease.LeasedAt), LeaseExpiresAt: AtOrNull(lease.ExpiresAt),
		StartedAt: AtOrNull(s.StartedAt), DeadlineAt: AtOrNull(s.DeadlineAt), EndedAt: AtOrNull(s.EndedAt),
		GoneAt: AtOrNull(lease.GoneAt), ConfirmedAt: AtOrNull(s.ConfirmedAt), RequeueAt: AtOrNull(s.RequeueAt),
	}
	for _, d := range s.Deliveries {
		out.Deliveries = append(out.Deliveries, Delivery{d.ProviderID, AtOrNull(d.DeliveredAt)})
	}
	for _, e := range s.Evidence {
		out.Evidence = append(out.Evidence, evidenceOf(s, e))
	}
	return out
}

// bound leaves out the oldest entries of what is too long, and counts them. With it a document stays below
// config.ReceiptBytesMax: the longest entries are versions, of 8,000 characters, and evidence, of one frame. What was not even read is
// counted as well.
func (r *Receipt) bound(m message.Message) {
	unread := 0
	if len(r.Versions) > 0 {
		unread = r.Versions[0].Version - 1
	}
	r.Versions, r.LeftOut.Versions = newest(r.Versions, config.ReceiptRowsMax)
	r.LeftOut.Versions += unread
	r.Approvals, r.LeftOut.Approvals = newest(r.Approvals, config.ReceiptRowsMax)
	r.Sends, r.LeftOut.Sends = newest(r.Sends, config.ReceiptRowsMax)
	r.Incidents, r.LeftOut.Incidents = newest(r.Incidents, config.ReceiptRowsMax)
	r.Retries, r.LeftOut.Retries = newest(r.Retries, config.ReceiptRowsMax)
	r.History, r.LeftOut.History = newest(r.History, config.ReceiptRowsMax)
	seen := &r.DeliveryEvidence
	seen.Observations, r.LeftOut.Observations = newest(seen.Observations, config.ReceiptRowsMax)
	r.LeftOut.History += m.HistoryLeftOut
	r.LeftOut.Observations += m.ObservedLeftOut
	for _, s := range m.Sends {
		r.LeftOut.Evidence += s.EvidenceLeftOut
		r.LeftOut.Deliveries += s.DeliveriesLeftOut
	}
	evidence, deliveries := config.ReceiptRowsMax, config.ReceiptRowsMax // of all sends together
	for i := len(r.Sends) - 1; i >= 0; i-- {
		s, left := &r.Sends[i], 0
		s.Evidence, left = newest(s.Evidence, evidence)
		evidence -= len(s.Evidence)
		r.LeftOut.Evidence += left
		s.Deliveries, left = newest(s.Deliveries, deliveries)
		deliveries -= len(s.Deliveries)
		r.LeftOut.Deliveries += left
	}
}

func newest[T any](list []T, most int) (kept []T, left int) {
	left = max(0, len(list)-most)
	return list[left:], left
}

func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
