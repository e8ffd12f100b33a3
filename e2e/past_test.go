package e2e_test

import (
	"context"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// rolf is another recruiter who uses the same browser.
var rolf = standin.Person{Slug: "rolf-recruiter", Name: "Rolf Recruiter"}

// pastCases differ in what happened before, or happens while the browser is on its way to the person.
var pastCases = []personCase{
	{name: "a group to which the compose page leads", isNamed: true, before: leadsToGroup, reason: "group_thread", inSample: true},
	{name: "someone joined the conversation since it was used", before: wroteOnce, write: joined, reason: "group_thread"},
	{name: "a group that shows one person, where another has spoken", isNamed: true, before: hiddenGroup, reason: "group_thread"},
	{name: "the compose page leads to the conversation of someone else", isNamed: true, before: leadsToOther, reason: "wrong_person"},
	{name: "the profile's address leads to someone else's", before: movedProfile, reason: "wrong_person"},
	{name: "someone else of the same name", before: sameName},

	{name: "the slug is someone else's now, and the conversation is known", before: wroteOnce, write: slugMoved},
	{name: "the slug is someone else's now, and the person was never written to", before: pinnedOnly, write: slugMoved, reason: "wrong_person"},
	{name: "the slug leads to someone who is known by id", write: knownByID, reason: "wrong_person"},
	{name: "the slug leads to someone who is known by id and must not be written to", write: knownAndSuppressed, reason: "wrong_person"},
	{name: "must not be written to, known while the page was read", write: whileResolving((*harness.Database).Suppress), reason: "halted"},
	{name: "has replied elsewhere, known while the page was read", write: whileResolving((*harness.Database).Reply), reason: "replied", inSample: true},

	{name: "has replied in the conversation since the approval", isNamed: true, write: repliedMeanwhile, reason: "replied"},
	{name: "the same text was sent long ago", isNamed: true, before: saidLongAgo, reason: "repeat_text"},
	{name: "the conversation that was used is gone", before: wroteOnce, write: dropped},
	{name: "several conversations: the one that was used is used again", before: severalThreads, write: intoTheUsedOne},
	{name: "several conversations: the one that was used is read first", before: severalThreads, write: repliedInTheUsedOne, reason: "replied"},

	{name: "another member, seen on the profile", before: otherMember, write: andBack, reason: "wrong_member", inSample: true},
	{name: "another member, seen in the conversation", isNamed: true, before: otherMember, write: andBack, reason: "wrong_member"},
	{name: "another member, with a conversation of the same person", isNamed: true, before: otherMembersThread, write: andBack, reason: "wrong_member"},
	{name: "sign-in instead of the profile", before: detour("/in/", "/login"), write: andBack, reason: "signed_out"},
	{name: "a checkpoint instead of the profile", before: detour("/in/", "/checkpoint/challenge/AgX"), write: andBack, reason: "signed_out"},
	{name: "sign-in instead of the compose page", isNamed: true, before: detour("/messaging/", "/login"), write: andBack, reason: "signed_out", inSample: true},
	{name: "a checkpoint instead of the compose page", before: detour("/messaging/", "/checkpoint/lg/sign-in"), write: andBack, reason: "signed_out"},
	{name: "sign-in instead of the known conversation", before: wroteOnce, write: signedOutSince, reason: "signed_out"},

	{name: "the same text was typed by hand since the approval", isNamed: true, before: acquainted, write: typedByHand, ends: alreadyThere},
	{name: "another member before any lease", before: rolfSignsIn, ends: waitsForRita},
	{name: "sign-in before any lease", before: signedOut("/login"), ends: waitsForRita},
	{name: "a checkpoint before any lease", before: signedOut("/checkpoint/challenge/AgX"), ends: waitsForRita},
	{name: "another member once the conversation is loaded", isNamed: true, write: switchedWhileResolving, ends: refusedToRolf},
	{name: "sign-in instead of the look", write: signInAtTheLook("/login"), ends: unseen},
	{name: "a checkpoint instead of the look", isNamed: true, before: acquainted, write: signInAtTheLook("/checkpoint/challenge/AgX"), ends: unseen},
}

// wroteOnce has a message arrive, so that the person is known by id and the conversation is remembered.
func wroteOnce(w *writing) {
	w.write()
	w.wantsArrived()
	w.next()
}

// pinnedOnly has the person resolved and nothing sent: known by id, without a conversation.
func pinnedOnly(w *writing) {
	w.must(w.site.SetVariant(w.person.Slug, standin.Variant{Draft: "Dear Pat"}))
	w.write()
	w.wantsRefused("occupied_draft")
	w.must(w.site.SetVariant(w.person.Slug, standin.Variant{}))
	w.next()
}

// slugMoved gives the person's slug to someone else before it writes.
func slugMoved(w *writing) {
	old := w.person
	renamed, err := w.site.Rename(old.Slug, "now-"+old.Slug)
	w.must(err)
	w.addSomeone(old.Slug, "Sam Successor")
	w.write()
	w.person = renamed
}

// knownByID writes to a slug that leads to a person whom another row knows by id.
func knownByID(w *writing) {
	_, err := w.api.Propose(w.ctx, w.account, w.person.ID, "Another text")
	w.must(err)
	w.write()
}

// knownAndSuppressed is knownByID where the other row must not be written to.
func knownAndSuppressed(w *writing) {
	other, err := w.api.Propose(w.ctx, w.account, w.person.ID, "Another text")
	w.must(err)
	w.must(w.database.Suppress(w.ctx, other.ID))
	w.write()
}

// whileResolving changes what the server knows of the person after the start, before it decides on what the page shows.
func whileResolving(change func(*harness.Database, context.Context, string) error) func(*writing) {
	return func(w *writing) {
		w.writeHeld(harness.Install, "resolved", func() { w.must(change(w.database, w.ctx, w.m.ID)) })
	}
}

func leadsToGroup(w *writing) { w.leadTo(w.group(), standin.Variant{}) }

func hiddenGroup(w *writing) {
	w.leadTo(w.group(standin.Message{From: ada.Slug, Text: "Hi both"}), standin.Variant{HeaderShowsOne: true})
}

func leadsToOther(w *writing) {
	other := w.addSomeone("other-"+w.person.Slug, "Oli Other")
	thread, err := w.site.AddThread(rita.Slug, other.Slug, standin.Message{From: other.Slug, Text: "Hi Rita"})
	w.must(err)
	w.leadTo(thread.ID, standin.Variant{})
}

// group makes a conversation with the person and Ada.
func (w *writing) group(messages ...standin.Message) string {
	w.Helper()
	group, err := w.site.AddGroup(rita.Slug, []string{w.person.Slug, ada.Slug}, append(messages, standin.Message{Text: "Hi all"})...)
	w.must(err)
	return group.ID
}

// leadTo makes the person's compose page lead to a conversation.
func (w *writing) leadTo(thread string, variant standin.Variant) {
	w.Helper()
	variant.LeadsTo = thread
	w.must(w.site.SetVariant(w.person.Slug, variant))
}

func (w *writing) addSomeone(slug, name string) standin.Person {
	w.Helper()
	someone, err := w.site.AddPerson(standin.Person{Slug: slug, Name: name, Connected: true})
	w.must(err)
	return someone
}

// used is the conversation of the newest copy.
func (w *writing) used() string {
	ledger := w.site.Ledger()
	return ledger[len(ledger)-1].ThreadID
}

func dropped(w *writing) {
	w.site.Drop(w.used())
	w.write()
}

func joined(w *writing) {
	w.must(w.site.Join(w.used(), ada.Slug))
	w.write()
}

func movedProfile(w *writing) { w.detour("/in/"+w.person.Slug, "/in/"+ada.Slug+"/") }

func sameName(w *writing) {
	other := w.addSomeone(w.person.Slug+"-2", w.person.Name)
	_, err := w.site.AddThread(rita.Slug, other.Slug, standin.Message{From: other.Slug, Text: "Hi Rita"})
	w.must(err)
}

// repliedMeanwhile lets the person reply after the approval, before the page is opened.
func repliedMeanwhile(w *writing) {
	thread := w.thread(standin.Message{Text: "Hello"})
	w.writeHeld(harness.Upstream, "started", func() { w.says(thread, w.person.Slug, "Please do not write to me") })
}

func typedByHand(w *writing) {
	thread := w.thread(standin.Message{Text: "Good day"})
	w.writeHeld(harness.Upstream, "started", func() { w.says(thread, rita.Slug, w.body) })
}

func (w *writing) says(thread, from, text string) {
	w.Helper()
	_, err := w.site.Say(thread, standin.Message{From: from, Text: text})
	w.must(err)
}

func saidLongAgo(w *writing) { w.thread(standin.Message{Text: w.body}) }

// severalThreads makes a conversation, writes into the newest, and makes a newer one.
func severalThreads(w *writing) {
	w.thread(standin.Message{Text: "The first conversation"})
	newest := w.thread(standin.Message{Text: "The second conversation"})
	wroteOnce(w)
	if w.used() != newest {
		w.Errorf("the first message went to %s, want the newest conversation %s", w.used(), newest)
	}
	w.thread(standin.Message{Text: "A conversation that was begun elsewhere"})
	w.before = w.site.State()
}

func intoTheUsedOne(w *writing) {
	used := w.used()
	w.write()
	if copied := w.wantsArrived(); copied.ThreadID != used {
		w.Errorf("it went to %s, want the conversation that was used before, %s", copied.ThreadID, used)
	}
	w.wantsAskedOnly("/messaging/thread/" + used + "/")
}

func repliedInTheUsedOne(w *writing) {
	used := w.used()
	w.writeHeld(harness.Upstream, "started", func() { w.says(used, w.person.Slug, "Please do not write to me") })
	w.ended("failed")
	w.wantsAskedOnly("/messaging/thread/" + used + "/")
}

// otherMember signs Rolf in behind the extension's back.
func otherMember(w *writing) {
	_, err := w.site.AddMember(rolf)
	w.must(err)
	w.must(w.in.SignIn(w.ctx, rolf.Slug))
}

func otherMembersThread(w *writing) {
	otherMember(w)
	_, err := w.site.AddThread(rolf.Slug, w.person.Slug, standin.Message{Text: "Rolf here"})
	w.must(err)
}

func rolfSignsIn(w *writing) {
	otherMember(w)
	w.look()
}

func detour(from, to string) func(*writing) {
	return func(w *writing) { w.detour(from, to) }
}

// detour leads addresses elsewhere until the case is over.
func (w *writing) detour(from, to string) {
	w.site.Detour(from, to)
	w.Cleanup(func() { w.site.Detour(from, "") })
}

// signedOut has the extension look while LinkedIn shows no member.
func signedOut(to string) func(*writing) {
	return func(w *writing) {
		w.site.Detour("/feed/", to)
		w.must(w.in.SignIn(w.ctx, rita.Slug))
		w.look()
		w.site.Detour("/feed/", "")
	}
}

func signedOutSince(w *writing) {
	w.detour("/messaging/", "/login")
	andBack(w)
}

// andBack writes, and signs Rita in again when the send has ended, because the extension now believes nobody is. A sign-in page
// has stopped the account; a person clears it.
func andBack(w *writing) {
	w.write()
	w.ended("failed")
	w.must(w.api.Clear(w.ctx, w.account))
	w.signIn(rita)
}

// switchedWhileResolving signs Rolf in while the conversation stands loaded for Rita.
func switchedWhileResolving(w *writing) {
	otherMember(w)
	w.must(w.in.SignIn(w.ctx, rita.Slug))
	w.writeHeld(harness.Install, "resolved", func() { w.must(w.in.SignIn(w.ctx, rolf.Slug)) })
}

// signInAtTheLook has the message taken, and leads the look elsewhere, but not the check that comes after the report: it
// would take Rita for signed out.
func signInAtTheLook(to string) func(*writing) {
	return func(w *writing) {
		answer := standin.NewGate()
		w.fault(w.person, standin.Fault{When: standin.AfterAccept, HoldAnswer: answer})
		w.write()
		w.awaitSite(func(s standin.State) bool { return s.Accepted(w.person.ID) == 1 })
		before := pages(w.site.State(), to)
		w.detour("/messaging/", to)
		answer.Release()
		w.awaitSite(func(s standin.State) bool { return pages(s, to) > before })
		w.site.Detour("/messaging/", "")
	}
}

// alreadyThere is how it ends when the text stands there without us.
func alreadyThere(w *writing) {
	if last := w.await(w.m, "sent").Last(); last.Code != "already_there" {
		w.Errorf("the send is %+v, want it already there", last)
	}
	w.wantsNothingSent()
}

// waitsForRita is how a message waits that nobody in this browser may send: nothing is offered and nothing opened, until
// Rita is signed in.
func waitsForRita(w *writing) {
	if row := w.awaitRow(w.m, "queued"); row.IsStarted {
		w.Errorf("the row is %+v", row)
	}
	if asked := w.asked(); len(asked) != 0 {
		w.Errorf("the browser asked for %v", asked)
	}
	w.wantsNothingSent()
	w.signIn(rita)
	w.wantsArrived()
}

// refusedToRolf is how it ends when LinkedIn refuses a page of Rita's under Rolf's session, and shows only Rolf's
// conversations afterwards.
func refusedToRolf(w *writing) {
	w.wantsALook("refusal_unproven")
	w.wants(w.person)
	w.must(w.api.Clear(w.ctx, w.account))
	w.must(w.in.SignIn(w.ctx, rita.Slug))
}

// unseen is how it ends when the message was taken and the look could not be.
func unseen(w *writing) {
	w.wantsALook("no_evidence")
	w.wants(w.person, w.body)
	w.awaitEmpty()
}
