package e2e_test

import (
	"context"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// await reads a message until its status is the wanted one.
func (r *rig) await(m harness.Message, status string) harness.Message {
	r.Helper()
	read, err := r.api.Await(r.ctx, m.ID, func(m harness.Message) bool { return m.Status == status })
	r.must(err)
	return read
}

// awaitRow reads a message's newest row until its status is the wanted one.
func (r *rig) awaitRow(m harness.Message, status string) harness.Row {
	r.Helper()
	row, err := r.database.AwaitRow(r.ctx, m.ID, func(row harness.Row) bool { return row.Status == status })
	r.must(err)
	return row
}

// awaitSite waits for a condition of the stand-in.
func (r *rig) awaitSite(condition func(standin.State) bool) {
	r.Helper()
	r.must(r.site.Wait(r.ctx, condition))
}

// wants checks the truth: how many copies were accepted for a person, of which text.
func (r *rig) wants(person standin.Person, texts ...string) {
	r.Helper()
	id := r.profileID(person)
	var got []string
	for _, copied := range r.site.Ledger() {
		if copied.RecipientID == id {
			got = append(got, copied.Text)
		}
	}
	if diff := cmp.Diff(texts, got); diff != "" {
		r.Errorf("what %s really got (-want +got):\n%s", person.Name, diff)
	}
}

// wantsClicks checks how often Send was clicked, to anyone.
func (r *rig) wantsClicks(count int) {
	r.Helper()
	if got := len(r.site.Clicks()); got != count {
		r.Errorf("Send was clicked %d times, want %d", got, count)
	}
}

// wantsUntouched checks that nothing of LinkedIn was contacted but the feed that the member looks at.
func (r *rig) wantsUntouched() {
	r.Helper()
	for _, access := range r.site.AccessLog()[r.since.accesses:] {
		if strings.HasPrefix(access.Path, "/in/") || strings.HasPrefix(access.Path, "/messaging/") {
			r.Errorf("before the start was acknowledged the browser asked for %s?%s", access.Path, access.Query)
		}
	}
	r.wantsClicks(r.since.clicks)
}

// wantsUnconfirmed waits until the message needs a look, and checks that it has one of the codes and the instruction.
func (r *rig) wantsUnconfirmed(m harness.Message, codes ...string) {
	r.Helper()
	last := r.await(m, "unconfirmed").Last()
	if !slices.Contains(codes, last.Code) || last.Instruction != rule.Instruction(rule.Unconfirmed, "linkedin") {
		r.Errorf("the send is %+v, want a code of %v and the instruction", last, codes)
	}
}

// wantsSent waits until the message is sent, and checks that its one send moved as named, or forward only, and knows one
// delivery.
func (r *rig) wantsSent(m harness.Message, moves ...string) {
	r.Helper()
	if len(moves) == 0 {
		moves = []string{"queued", "leased", "started", "sent"}
	}
	if diff := cmp.Diff(moves, r.wantsConfirmed(m)); diff != "" {
		r.Errorf("the send's history (-want +got):\n%s", diff)
	}
}

// wantsConfirmed waits until the message is sent, and checks that one delivery of it is known. It returns the statuses
// that its send had, oldest first.
func (r *rig) wantsConfirmed(m harness.Message) (moves []string) {
	r.Helper()
	last := r.await(m, "sent").Last()
	if last.Code != "confirmed" || last.Instruction != "" {
		r.Errorf("the send is %+v, want it confirmed and nothing left to do", last)
	}
	deliveries, err := r.database.Deliveries(r.ctx, m.ID)
	r.must(err)
	if deliveries != 1 {
		r.Errorf("%d deliveries are known, want 1", deliveries)
	}
	moves, err = r.database.Moves(r.ctx, last.ID)
	r.must(err)
	return moves
}

// wantsEnd waits until a send has ended after its start, and checks how.
func (r *rig) wantsEnd(m harness.Message, want result) {
	r.Helper()
	row, err := r.database.AwaitRow(r.ctx, m.ID, hasEnded)
	r.must(err)
	if got := (result{rule.Status(row.Status), row.Code, row.Reason}); got != want || !row.IsStarted {
		r.Errorf("the row is %+v, want %+v after its start", row, want)
	}
}

// wantsNoOtherCopies holds for every test, whatever it did: no second click made a copy, and the browser and the page made
// only those that the test expects.
func (r *rig) wantsNoOtherCopies() {
	state := r.site.State()
	if got := (repeats{state.BrowserCopies(), state.PageCopies()}); state.Duplicates() != 0 || got != r.repeats {
		r.Errorf("duplicates %d, repeats %+v, want none and %+v", state.Duplicates(), got, r.repeats)
	}
}

// wantsOneAtATime holds for every database: no account worked on two sends.
func (r *rig) wantsOneAtATime(database *harness.Database) {
	ctx, cancel := context.WithTimeout(context.Background(), cleanUpWithin)
	defer cancel()
	most, err := database.MostAtOnce(ctx)
	if err != nil || most > 1 {
		r.Errorf("%d sends of one account were leased or started at once: %v", most, err)
	}
}
