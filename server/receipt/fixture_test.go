package receipt_test

import (
	"crypto/ed25519"
	"encoding/json"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"sendonce/server/account"
	"sendonce/server/delivery"
	"sendonce/server/incident"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/receipt"
	"sendonce/server/rule"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

func after(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }

func ptr[T any](v T) *T { return &v }

func id(n byte) uuid.UUID { return uuid.UUID{15: n} }

// keyOf is the key of a seed, so that every run signs alike.
func keyOf(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(append(make([]byte, ed25519.SeedSize-1), seed))
}

func publicOf(keys ...ed25519.PrivateKey) []ed25519.PublicKey {
	var out []ed25519.PublicKey
	for _, key := range keys {
		out = append(out, key.Public().(ed25519.PublicKey))
	}
	return out
}

func sign(t *testing.T, r receipt.Receipt, keys ...ed25519.PrivateKey) []byte {
	t.Helper()
	signed, err := receipt.NewSigner(keys, func() time.Time { return after(60) }).Sign(r)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jsonv2.Marshal(signed)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// example is a message that failed, was retried, stayed unconfirmed, and has something in every member.
func example() receipt.Receipt {
	m := message.Message{
		ID: id(1), Version: 2, Digest: "sha256:2", Authority: message.Approved, ClientRelease: "agent 1.0", CreatedBy: "agent", CreatedAt: noon,
		Target:  message.Target{Channel: "linkedin", Account: id(2), Person: id(3), Purpose: "first contact", Task: ptr("task-7")},
		Content: message.Content{Body: "Hello Ada!", SendAfter: ptr(noon), SendBefore: ptr(after(600))},
		Person: message.Person{ID: id(3), Name: "Ada Example \U0001F600", Identities: []people.Identity{
			{Kind: people.LinkedInSlug, Value: "ada-example"},
		}},
		Account:    account.Account{ID: id(2), Channel: "linkedin", Handle: "rita-recruiter", MemberURN: ptr("urn:li:member:1"), MemberName: ptr("Rita Recruiter")},
		InSequence: &message.InSequence{Sequence: id(24), Name: "Engineers", Step: id(25), Enrolment: id(26)},
		Followed:   &message.Followed{Follows: message.Follows{Send: id(20), Why: "they asked"}, Message: id(21)},
		Rejection:  &message.Rejection{By: "Rita Recruiter", At: after(56), Why: "too long"},
		Closure:    &message.Closure{At: after(57), By: "Rita Recruiter", Why: "hired"},
		Sends:      exampleSends(),
		Observed: []delivery.Observation{
			{Kind: delivery.Delivered, ProviderID: "urn:li:msg_message:1", At: after(13), Source: "example", ReceivedAt: after(14)},
			{Kind: delivery.Bounced, At: after(15), Detail: "mailbox full", Source: "example", ReceivedAt: after(16)},
			{Kind: delivery.Undelivered, At: after(17), ReceivedAt: after(18)},
		},
		History: []message.Event{
			{At: noon, What: message.WasProposed, By: "agent", Version: 1},
			{At: after(1), What: message.SendMoved, By: "server", Send: ptr(id(10)), From: rule.Leased, To: rule.Queued, Code: "released", Reason: "a reason", WaitingFor: "account_busy", Install: ptr(id(4))},
		},
	}
	return receipt.Of(m, receipt.Rows{
		ReadAt: after(59), Workspace: receipt.Workspace{ID: id(5), Name: "My team"}, RepliedAt: ptr(after(58)),
		Versions: []receipt.Version{
			{Version: 1, Digest: "sha256:1", Body: "Hello\nAda \"x\" \u2028 é", CreatedBy: "agent", CreatedAt: receipt.At(noon), ExpiredAt: ptr(receipt.At(after(45)))},
			{
				Version: 2, Digest: "sha256:2", Subject: ptr("A subject"), Body: "Hello Ada!", Template: &receipt.Template{ID: id(27), Version: 3}, SendAfter: ptr(receipt.At(noon)),
				SendBefore: ptr(receipt.At(after(600))), ClientRelease: ptr("agent 1.0"), CreatedBy: "agent", CreatedAt: receipt.At(after(1)),
			},
		},
		Approvals: []receipt.Approval{{
			ID: id(6), Version: 2, Digest: "sha256:2", Approver: "Rita Recruiter", RepeatApproved: true, YesTo: []uuid.UUID{id(22), id(23)}, Policy: ptr(3), OverrideOf: ptr("Carl Colleague"), OverrideWhy: ptr("she asked me"), ApprovedAt: receipt.At(after(2)),
			ExpiresAt: receipt.At(after(10000)), VoidedAt: ptr(receipt.At(after(50))), VoidReason: ptr("edited"), VoidedBy: ptr("Rita Recruiter"),
		}},
		Leases: map[uuid.UUID]receipt.Lease{
			id(10): {Digest: "sha256:2", Approval: id(6), Holder: &receipt.Holder{InstallID: id(4), PairedBy: "Rita Recruiter"}, LeasedAt: ptr(after(3)), ExpiresAt: ptr(after(4)), GoneAt: ptr(after(5))},
			id(11): {Digest: "sha256:2", Approval: id(6)},
		},
		Incidents: []incident.Incident{{
			ID: id(7), Kind: incident.DeliveredTwice, Count: 2, OpenedAt: after(30), LastAt: after(31), ClosedAt: ptr(after(32)), ClosedBy: ptr("admin"), Note: ptr("seen"),
		}},
		Retries: []receipt.Retry{{
			RunID: id(8), SendID: id(10), AskedBy: "Rita Recruiter", AskedAt: receipt.At(after(8)), BegunAt: ptr(receipt.At(after(9))),
			Refused: ptr("replied"), Outcome: ptr("content_changed"), NextSendID: ptr(id(11)),
		}},
	})
}

func exampleSends() []message.Send {
	report := json.RawMessage(`{"reason":"wrong_person","find":"none","copies":[],"acted_at_ms":1795900000000,"unbroken":true}`)
	look := json.RawMessage(`{"reason":null,"copies":[],"conversation":"2-abc","messages":14,"oldest_at_ms":1795900000000}`)
	return []message.Send{
		{
			ID: id(10), Message: id(1), Ordinal: 1, Version: 2, Status: rule.Failed, Code: "not_attempted", Reason: "wrong_person",
			Attempt: ptr("attempt-0123456789"), Install: ptr(id(4)), SenderVersion: ptr("1.0.0"), CreatedAt: after(2), StartedAt: ptr(after(3)),
			DeadlineAt: ptr(after(9)), EndedAt: ptr(after(4)), RequeueAt: ptr(after(6)),
			Evidence: []message.Evidence{{Kind: "proof", Outcome: "not_attempted", Install: ptr(id(4)), Attempt: ptr("attempt-0123456789"), ReceivedAt: after(4), Body: report}},
		},
		{
			ID: id(11), Message: id(1), Ordinal: 2, RetryOf: ptr(id(10)), Version: 2, Status: rule.Unconfirmed, Code: "no_answer",
			Instruction: "Check LinkedIn.", WaitingFor: rule.AccountBusy, CreatedAt: after(10), ConfirmedAt: ptr(after(40)), AbsenceCountsFrom: ptr(after(20)),
			Deliveries: []message.Delivery{{ProviderID: "urn:li:msg_message:1", DeliveredAt: ptr(after(12))}},
			Evidence: []message.Evidence{
				{Kind: "check", Outcome: "absent", Install: ptr(id(4)), ReceivedAt: after(21), AskedAt: ptr(after(20)), Body: look},
				{Kind: "resolution", Outcome: "not_delivered", By: "Rita Recruiter", Note: ptr("nothing there"), AcceptUnseen: true, ReceivedAt: after(25), Body: json.RawMessage(`{}`)},
			},
		},
	}
}
