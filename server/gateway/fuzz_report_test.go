//go:build !race

// One goroutine that computes for seconds: ALONE in the Makefile runs it without the race detector.

package gateway

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// reportRead is what the extension's own code reads in a report, and what its rule makes of it.
type reportRead struct {
	Status       rule.Status
	Code         string
	Reason       string
	Incident     string
	Effect       rule.Effect
	Attempt      string
	Conversation string
	Copies       []struct {
		ProviderID string `json:"provider_id"`
		SentAtMS   int64  `json:"sent_at_ms"`
	}
}

// Goal: of every report that has its shape, the server reads what the extension reads and its rule says the same; and
// whatever row it meets, what is decided is a move of the table, a confirmation has its copies, and nothing is queued.
func FuzzReport(f *testing.F) {
	row := uint64(0)
	eachGolden(f, func(from string, frame []byte) {
		if decoded, bad := decode(frame); from == fromTheInstall && bad == nil && decoded.Type == "report" {
			f.Add(frame, row)
			row += 37
		}
	})
	twice := `{"v":1,"type":"report","id":"i","lease_token":"t","attempt":"attempt-one-0001","attempt":null,"end":"acted",` +
		`"evidence":{"answer":{"kind":"status","status":500},"answer":{"kind":"none"},"double":false,"foreign":false,"look":"absent",` +
		`"copies":[],"conversation":"c","conversation":null,"origin_token":null,"retry_after_ms":null,"acted_at_ms":null},` +
		`"outcome":{"status":"unconfirmed","code":"no_answer","reason":null}}`
	f.Add([]byte(twice), row)
	js := newInstallSide(f)
	f.Fuzz(func(t *testing.T, raw []byte, shape uint64) {
		decoded, bad := decode(raw)
		if bad != nil || decoded.Type != "report" {
			return
		}
		report := readReport(t, decoded)
		var theirs reportRead
		if err := json.Unmarshal([]byte(js.call(t, js.reportOfText, string(raw))), &theirs); err != nil {
			t.Fatal(err)
		}
		checkReading(t, report, theirs)
		facts, lease := factsOf(shape, report)
		checkDecision(t, facts, lease, report, send.DecideReport(facts, lease, report))
	})
}

func readReport(t *testing.T, decoded frame) send.Report {
	t.Helper()
	var fields reportFields
	var evidence evidenceFields
	if err := decoded.into(&fields); err != nil {
		t.Fatalf("%s has its shape and cannot be read: %v", decoded.raw, err)
	}
	if err := json.Unmarshal(fields.Evidence, &evidence); err != nil {
		t.Fatalf("%s has its shape and cannot be read: %v", fields.Evidence, err)
	}
	return (&session{}).reportOf(fields, evidence)
}

func checkReading(t *testing.T, ours send.Report, theirs reportRead) {
	t.Helper()
	var outcome rule.Outcome
	var effect rule.Effect
	if ours.Acted != nil {
		outcome, effect = rule.Classify(*ours.Acted), rule.AccountEffect(ours.Acted.Answer)
	} else {
		outcome = rule.End(*ours.Unacted)
	}
	if said := (rule.Outcome{Status: theirs.Status, Code: theirs.Code, Reason: theirs.Reason, Incident: theirs.Incident}); said != outcome || effect != theirs.Effect {
		t.Errorf("the server's rule says %+v %q, the extension's %+v %q of %s", outcome, effect, said, theirs.Effect, ours.Raw)
	}
	if ours.Attempt != theirs.Attempt || ours.Conversation != theirs.Conversation || len(ours.Copies) != len(theirs.Copies) {
		t.Fatalf("the server reads attempt %q, conversation %q and %d copies, the extension %q, %q and %d of %s", ours.Attempt, ours.Conversation,
			len(ours.Copies), theirs.Attempt, theirs.Conversation, len(theirs.Copies), ours.Raw)
	}
	for i, c := range theirs.Copies {
		at := ours.Copies[i].SentAt
		if ours.Copies[i].ProviderID != c.ProviderID || (c.SentAtMS == 0) != at.IsZero() || c.SentAtMS != 0 && at.UnixMilli() != c.SentAtMS {
			t.Errorf("copy %d: the server reads %+v, the extension %+v", i, ours.Copies[i], c)
		}
	}
}

// factsOf makes the row and the facts that a report meets from the bits of shape. The row keeps the rule of its status.
func factsOf(shape uint64, report send.Report) (send.ReportFacts, uuid.UUID) {
	bits := func(most uint64) uint64 {
		taken := shape % most
		shape /= most
		return taken
	}
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	statuses := rule.Statuses()
	lease := uuid.UUID{1}
	row := send.Row{Status: statuses[bits(uint64(len(statuses)))]}
	if wanted := bits(2) == 1; row.Status.AdmitsStart(wanted) == wanted {
		row.StartedAt, row.DeadlineAt, row.Attempt = now.Add(-time.Minute), now.Add(time.Duration(bits(3))*time.Minute-time.Minute), "attempt-one-0001"
	}
	if bits(4) > 0 {
		row.LeaseToken = lease
	}
	if bits(2) == 1 {
		row.Attempt = report.Attempt
	}
	row.Requeues = int(bits(5))
	facts := send.ReportFacts{Now: now, Row: row, Held: map[string]bool{}, Jitter: float64(bits(11)) / 10, ApprovedAt: now.Add(-time.Hour)}
	for _, c := range report.Copies {
		if bits(3) == 0 {
			facts.Held[c.ProviderID] = true
		}
		if bits(2) == 1 && !c.SentAt.IsZero() {
			facts.ApprovedAt = c.SentAt.Add(time.Duration(bits(11)) * time.Minute)
		}
	}
	return facts, lease
}

func checkDecision(t *testing.T, f send.ReportFacts, lease uuid.UUID, r send.Report, d send.ReportDecision) {
	t.Helper()
	fail := func(what string) { t.Errorf("%s: %+v for the row %+v and the report %+v", what, d, f, r) }
	if d.To != "" && !rule.Allowed(f.Row.Status, d.To, rule.Sender, f.Row.HasStart()) {
		fail("no move of the table")
	}
	if d.To != "" && d.To != d.Outcome.Status {
		fail("a move to another status than the outcome's")
	}
	isSent := d.Outcome.Status == rule.Sent
	if isSent != (d.Kind == send.EvidenceConfirmation) || isSent != (len(d.Copies) > 0) || isSent && d.To != rule.Sent && f.Row.Status != rule.Sent {
		fail("a confirmation is one with a copy, and always counts")
	}
	seen := map[string]bool{}
	for _, c := range d.Copies {
		tooOld := !c.SentAt.IsZero() && f.ApprovedAt.Sub(c.SentAt) >= config.ApprovalSlack
		if c.ProviderID == "" || f.Held[c.ProviderID] || seen[c.ProviderID] || tooOld {
			fail("a copy that is not this message's")
		}
		seen[c.ProviderID] = true
	}
	proves := f.Row.LeaseToken == lease && f.Row.HasStart() && r.Attempt != "" && r.Attempt == f.Row.Attempt
	if (d.To == rule.Failed || d.Kind == send.EvidenceProof) && !proves {
		fail("a proof of another attempt")
	}
	if d.RequeueIn != 0 && (d.To != rule.Failed || !rule.Requeued(d.Outcome.Code) || d.RequeueIn < 0) {
		fail("a next send that nothing asks for")
	}
}
