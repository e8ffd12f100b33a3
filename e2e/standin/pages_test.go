package standin_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"sendonce/e2e/standin"
)

// page gets a page under one variant of a person.
func page(t *testing.T, v *visitor, person string, variant standin.Variant, path string) string {
	t.Helper()
	if err := v.server.SetVariant(person, variant); err != nil {
		t.Fatal(err)
	}
	_, body := v.get(path, http.StatusOK)
	return body
}

func TestAProfileHasThreeMessageAnchorsAndADecoy(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	href := func(slug string) string {
		id := idOf(t, s, slug)
		return `href="/messaging/compose/?profileUrn=urn:li:fsd_profile:` + id + `&amp;recipient=` + id + `&amp;screenContext=NON_SELF_PROFILE_VIEW&amp;interop=msgOverlay"`
	}
	for _, path := range []string{ben.Path(), "/in/" + idOf(t, s, ben.Slug) + "/"} {
		body := page(t, v, ben.Slug, standin.Variant{}, path)
		main, aside, _ := strings.Cut(body, "<aside")
		if strings.Count(main, href(ben.Slug)) != 3 || !strings.Contains(aside, href(ada.Slug)) {
			t.Errorf("%s: %d anchors of his own, or no decoy", path, strings.Count(main, href(ben.Slug)))
		}
		if !strings.Contains(main, "Jürgen Beispiel</h2>") {
			t.Errorf("%s does not name him in h2", path)
		}
	}
	if body := page(t, v, ben.Slug, standin.Variant{NameInH1: true, Locale: "de"}, ben.Path()); !strings.Contains(body, "Jürgen Beispiel</h1>") ||
		!strings.Contains(body, `<html lang="de">`) || !strings.Contains(body, ">Nachricht</a>") {
		t.Error("the German page with the name in h1 is not that")
	}
	if body := page(t, v, carl.Slug, standin.Variant{}, carl.Path()); strings.Contains(body, href(carl.Slug)) ||
		!strings.Contains(body, "/preload/custom-invite/?vanityName=carl-stranger") {
		t.Error("someone not connected can be messaged, or not invited")
	}
	_, body := v.get("/in/rita-recruiter/", http.StatusOK)
	if !strings.Contains(body, `href="/in/rita-recruiter/edit/intro/"`) {
		t.Error("the member's own profile cannot be edited")
	}
	v.get("/in/nobody/", http.StatusNotFound)
	if answer, _ := v.get("/in/me/", http.StatusFound); answer.Header.Get("Location") != "/in/rita-recruiter/" {
		t.Error("/in/me/ does not lead to the member")
	}
}

func TestComposersVary(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	compose := func(slug string) string { return "/messaging/compose/?recipient=" + idOf(t, s, slug) }
	const send, box, disabled = `class="msg-form__send-button"`, `class="msg-form__contenteditable"`, ` disabled>Send<`

	plain := page(t, v, ada.Slug, standin.Variant{}, compose(ada.Slug))
	if strings.Count(plain, box) != 1 || !strings.Contains(plain, disabled) || !strings.Contains(plain, `<p><br></p>`) {
		t.Error("the plain compose page has not one empty composer with Send disabled")
	}
	draft := page(t, v, ada.Slug, standin.Variant{Draft: "Half\n\nsaid"}, compose(ada.Slug))
	if !strings.Contains(draft, "<p>Half</p><p><br></p><p>said</p>") || strings.Contains(draft, disabled) {
		t.Error("the draft does not stand in the composer with Send enabled")
	}
	if enter := page(t, v, ada.Slug, standin.Variant{EnterToSend: true}, compose(ada.Slug)); strings.Contains(enter, send) ||
		!strings.Contains(enter, "msg-form__send-toggle") {
		t.Error("Enter-to-send keeps its Send button, or loses the toggle")
	}
	stale := page(t, v, ada.Slug, standin.Variant{StaleBubbleOf: ben.Slug, StaleDraft: "For him", HiddenCopy: true}, compose(ada.Slug))
	if strings.Count(stale, box) != 2 || strings.Index(stale, "For him") > strings.Index(stale, "<main") ||
		!strings.Contains(stale, `is-minimized="true"`) || !strings.Contains(stale, `src="/preload/?_bprMode=vanilla"`) {
		t.Error("the stale bubble is not the first composer, or the hidden copy is missing")
	}
	if _, hidden := v.get("/preload/?_bprMode=vanilla", http.StatusOK); !strings.Contains(hidden, box) || strings.Contains(hidden, "<script") {
		t.Error("the hidden copy takes no text, or has the script that sends")
	}
	if none := page(t, v, carl.Slug, standin.Variant{}, compose(carl.Slug)); strings.Contains(none, box) {
		t.Error("someone not connected has a composer")
	}
	if paid := page(t, v, carl.Slug, standin.Variant{PaidInMail: true}, compose(carl.Slug)); !strings.Contains(paid, box) ||
		!strings.Contains(paid, `name="subject"`) {
		t.Error("the paid InMail page has no composer with a subject")
	}
	if err := s.SetVariant(ada.Slug, standin.Variant{Locale: "xx"}); err == nil {
		t.Error("an unknown locale was taken")
	}
}

func TestAThreadPageShowsItsPeopleAndMessages(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	single, err := s.AddThread(rita.Slug, ada.Slug, standin.Message{Text: "Two\nlines"}, standin.Message{From: ada.Slug, Text: "<b>& back"})
	if err != nil {
		t.Fatal(err)
	}
	group, err := s.AddGroup(rita.Slug, []string{ada.Slug, ben.Slug}, standin.Message{Text: "All"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Say(single.ID, standin.Message{From: carl.Slug, Text: "?"}); err == nil {
		t.Error("someone who is not in the thread spoke in it")
	}
	link := `href="/in/` + idOf(t, s, ada.Slug) + `/"`
	_, body := v.get("/messaging/thread/"+single.ID+"/", http.StatusOK)
	for _, want := range []string{
		`<h2><a class="msg-thread__link-to-profile" ` + link, `Two<br>lines</p>`, `&lt;b&gt;&amp; back</p>`,
		`aria-label="Select conversation with Ada Example"`, `title="Sent at `,
		`data-event-urn="urn:li:msg_message:(urn:li:fsd_profile:` + idOf(t, s, rita.Slug) + `,2-`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the thread page has no %s", want)
		}
	}
	if own, other := strings.Index(body, "Two<br>"), strings.Index(body, "listitem--other"); own > other {
		t.Error("the newest message does not stand last")
	}
	if strings.Contains(body, "seen-receipts") {
		t.Error("a message is marked as seen that nobody has seen")
	}
	if err := s.See(single.ID, ada.Slug); err != nil {
		t.Fatal(err)
	}
	_, body = v.get("/messaging/thread/"+single.ID+"/", http.StatusOK)
	own, _, _ := strings.Cut(body, "listitem--other")
	if strings.Count(body, "seen-receipts") != 1 || !strings.Contains(own, `title="Seen by Ada Example"`) {
		t.Error("the newest message that the other has seen is not marked, or another is")
	}
	if err := s.See(single.ID, carl.Slug); err == nil {
		t.Error("someone who is not in the thread saw it")
	}
	_, body = v.get("/messaging/thread/"+group.ID+"/", http.StatusOK)
	if strings.Contains(body, "msg-thread__link-to-profile") || strings.Count(body, link) < 1 || !strings.Contains(body, "Ada Example, Jürgen Beispiel</h2>") {
		t.Error("the group's page does not name its people, or has a single person's header")
	}
	v.get("/messaging/thread/2-none/", http.StatusFound)
}

func TestOneClickToldTwiceCountsOnce(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	for range 2 {
		answer, err := v.client.Post(origin+"/standin/click", "text/plain", strings.NewReader(`{"id":"a","path":"/","trusted":true}`))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	if clicks := s.Clicks(); len(clicks) != 1 || !clicks[0].Trusted || clicks[0].Member != idOf(t, s, rita.Slug) {
		t.Errorf("clicks %+v, want Rita's one", clicks)
	}
}
