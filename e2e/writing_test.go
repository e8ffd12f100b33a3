package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// writing is one case of a rig that many cases share: a person of its own, and what is written to them.
type writing struct {
	*rig
	in     *install
	person standin.Person
	// byID writes to the profile id, so that no profile is opened.
	byID bool
	body string
	m    harness.Message
	// isShown: the page is brought to the front before it is clicked; every other page is clicked in a hidden tab.
	isShown bool
	// before is what the stand-in had recorded when the case began.
	before standin.State
}

// writing begins a case within a running rig: a new person, whom nobody has written to.
func (r *rig) writing(t *testing.T, in *install, person standin.Person, variant standin.Variant) *writing {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	own := *r
	own.T, own.ctx = t, ctx
	person, err := r.site.AddPerson(person)
	own.must(err)
	own.must(r.site.SetVariant(person.Slug, variant))
	return &writing{rig: &own, in: in, person: person, body: "Hello " + person.Name, before: r.site.State()}
}

// write proposes and approves the case's text to its person.
func (w *writing) write() {
	w.Helper()
	to := w.person
	if w.byID {
		to.Slug = to.ID
	}
	w.m = w.approved(to, w.body)
}

// next begins anew with another text to the same person.
func (w *writing) next() {
	w.body = "And again: " + w.body
	w.before = w.site.State()
}

// writeHeld writes, and lets something happen while a frame is under way.
func (w *writing) writeHeld(from harness.Side, kind string, meanwhile func()) {
	w.Helper()
	count := w.in.proxy.Count(from, kind) + 1
	release := w.in.proxy.Hold(from, kind)
	defer release()
	w.write()
	w.must(w.in.proxy.Wait(w.ctx, from, kind, count))
	meanwhile()
}

// thread gives the person a conversation with Rita.
func (w *writing) thread(messages ...standin.Message) string {
	w.Helper()
	thread, err := w.site.AddThread(rita.Slug, w.person.Slug, messages...)
	w.must(err)
	return thread.ID
}

// asked are the addresses that were asked for since the case began, of profiles and of conversations.
func (w *writing) asked() []string {
	var paths []string
	for _, access := range w.site.AccessLog()[len(w.before.Accesses):] {
		if strings.HasPrefix(access.Path, "/in/") || strings.HasPrefix(access.Path, "/messaging/") {
			paths = append(paths, access.Path)
		}
	}
	return paths
}

// ended waits until the send has ended, in whatever way, and ends the test unless that is the wanted one.
func (w *writing) ended(status string) harness.Row {
	w.Helper()
	row, err := w.database.AwaitRow(w.ctx, w.m.ID, func(row harness.Row) bool {
		return !slices.Contains([]string{"queued", "leased", "started"}, row.Status)
	})
	w.must(err)
	if row.Status != status {
		w.Fatalf("the row is %+v, want it %s", row, status)
	}
	return row
}

// wantsArrived waits until the text is sent: one click, one copy, to this person alone, byte for byte, and no box that
// holds anything any more. It returns the copy.
func (w *writing) wantsArrived() standin.Copy {
	w.Helper()
	w.ended("sent")
	w.wantsSent(w.m)
	w.awaitEmpty()
	state := w.site.State()
	requests, copies := state.Requests[len(w.before.Requests):], state.Copies[len(w.before.Copies):]
	if len(requests) != 1 || len(copies) != 1 || len(state.Clicks) != len(w.before.Clicks)+1 {
		w.Fatalf("%d requests, %d copies and %d clicks, want one of each",
			len(requests), len(copies), len(state.Clicks)-len(w.before.Clicks))
	}
	if click := state.Clicks[len(state.Clicks)-1]; click.Hidden == w.isShown || (click.Focused && !w.isShown) {
		w.Errorf("Send was clicked in a page that is hidden %v, with the focus %v", click.Hidden, click.Focused)
	}
	if diff := cmp.Diff(w.body, requests[0].Text); diff != "" {
		w.Errorf("what went over the wire (-approved +wire):\n%s", diff)
	}
	texts := w.site.Texts(copies[0].ThreadID)
	if diff := cmp.Diff(w.body, texts[len(texts)-1]); diff != "" {
		w.Errorf("what the conversation holds (-approved +conversation):\n%s", diff)
	}
	if copies[0].RecipientID != w.person.ID || copies[0].OwnerID != w.profileID(rita) || copies[0].InMail {
		w.Errorf("the copy is %+v, want Rita's to %s", copies[0], w.person.Slug)
	}
	w.wantsOwnBoxOnly(state)
	return copies[0]
}

// wantsRefused waits until the send has failed for the reason, without anything typed, clicked or sent anywhere.
func (w *writing) wantsRefused(reason string) {
	w.Helper()
	row := w.ended("failed")
	if row.Code != "not_attempted" || row.Reason != reason || !row.IsStarted {
		w.Errorf("the row is %+v, want not_attempted for %s", row, reason)
	}
	state := w.site.State()
	if typed := state.Boxes[len(w.before.Boxes):]; len(typed) != 0 {
		w.Errorf("a box was touched: %+v", typed)
	}
	w.wantsNothingSent()
}

// wantsCleared waits until the send has failed for the reason after the text was typed, and checks that the text is gone
// and nothing was sent.
func (w *writing) wantsCleared(reason string) {
	w.Helper()
	row := w.ended("failed")
	if row.Code != "not_attempted" || row.Reason != reason {
		w.Errorf("the row is %+v, want not_attempted for %s", row, reason)
	}
	w.awaitEmpty()
	w.wantsOwnBoxOnly(w.site.State())
	w.wantsNothingSent()
}

// wantsALook waits until the send needs a look, under the code.
func (w *writing) wantsALook(code string) {
	w.Helper()
	w.ended("unconfirmed")
	w.wantsUnconfirmed(w.m, code)
}

// left are the texts that stand in boxes which were touched since the case began.
func (w *writing) left(s standin.State) []string {
	return standin.State{Boxes: s.Boxes[len(w.before.Boxes):]}.Left()
}

// awaitEmpty waits until those boxes hold nothing.
func (w *writing) awaitEmpty() {
	w.Helper()
	w.awaitSite(func(s standin.State) bool { return len(w.left(s)) == 0 })
}

// wantsNothingSent checks that since the case began nothing was clicked and nobody got anything.
func (w *writing) wantsNothingSent() {
	w.Helper()
	state := w.site.State()
	requests, copies := len(state.Requests)-len(w.before.Requests), len(state.Copies)-len(w.before.Copies)
	if clicks := len(state.Clicks) - len(w.before.Clicks); requests != 0 || copies != 0 || clicks != 0 {
		w.Errorf("%d clicks, %d requests and %d copies, want none", clicks, requests, copies)
	}
}

// wantsAskedOnly checks that since the case began no profile and no conversation was asked for but one.
func (w *writing) wantsAskedOnly(path string) {
	w.Helper()
	for _, asked := range w.asked() {
		if asked != path {
			w.Errorf("the browser asked for %s, want %s alone", asked, path)
		}
	}
}

// wantsOwnBoxOnly checks that no box of anyone else was touched.
func (w *writing) wantsOwnBoxOnly(state standin.State) {
	w.Helper()
	for _, box := range state.Boxes[len(w.before.Boxes):] {
		if box.To != w.person.ID {
			w.Errorf("the box of %s was touched: %+v", box.To, box)
		}
	}
}

// signIn signs a member in, in the person's own tab, and has the extension look who it is.
func (w *writing) signIn(member standin.Person) {
	w.Helper()
	w.must(w.in.SignIn(w.ctx, member.Slug))
	w.look()
}

// look has the extension look who is signed in, as its popup does, and returns when the server knows.
func (w *writing) look() {
	w.Helper()
	hellos := w.in.proxy.Count(harness.Install, "hello")
	_, err := w.in.Command(w.ctx, "look_for_member")
	w.must(err)
	w.must(w.in.proxy.Wait(w.ctx, harness.Install, "hello", hellos+1))
}

// pat is the person of a case, by its number.
func pat(number int) standin.Person {
	return standin.Person{Slug: fmt.Sprintf("pat-example-%02d", number), Name: fmt.Sprintf("Pat Example %d", number), Connected: true}
}
