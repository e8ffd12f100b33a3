package standin_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"sendonce/e2e/standin"

	"github.com/google/go-cmp/cmp"
)

func TestADeliveryIsAcceptedAsPosted(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	thread, err := s.AddThread(rita.Slug, ada.Slug)
	if err != nil {
		t.Fatal(err)
	}
	l := v.letter("Hello Ada,\n\n  two  spaces 👋🏽", thread.ID, "")
	_, body := v.mustPost(l, http.StatusOK)
	var answer struct {
		Value struct {
			EntityURN, ConversationURN, OriginToken string
			Body                                    struct{ Text string }
			DeliveredAt                             int64
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	ledger := s.Ledger()
	if len(ledger) != 1 {
		t.Fatalf("%d copies, want 1", len(ledger))
	}
	c, owner := ledger[0], idOf(t, s, rita.Slug)
	want := standin.Copy{
		OwnerID: owner, RecipientID: idOf(t, s, ada.Slug), Text: "Hello Ada,\n\n  two  spaces 👋🏽",
		OriginToken: l.message()["originToken"].(string), MessageID: c.MessageID, ThreadID: thread.ID, AcceptedAt: c.AcceptedAt,
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	if got, want := answer.Value.EntityURN, "urn:li:msg_message:(urn:li:fsd_profile:"+owner+","+c.MessageID+")"; got != want {
		t.Errorf("entityUrn %s, want %s", got, want)
	}
	if answer.Value.ConversationURN != l.message()["conversationUrn"] || answer.Value.OriginToken != c.OriginToken ||
		answer.Value.Body.Text != c.Text || answer.Value.DeliveredAt != c.AcceptedAt.UnixMilli() {
		t.Errorf("the answer does not echo the request: %+v", answer.Value)
	}
}

func TestAFirstMessageMakesAThreadAndComposeLeadsThere(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	compose := "/messaging/compose/?profileUrn=urn:li:fsd_profile:" + idOf(t, s, ada.Slug) + "&recipient=" + idOf(t, s, ada.Slug)
	_, page := v.get(compose, http.StatusOK)
	if !strings.Contains(page, `aria-label="Remove Ada Example"`) || !strings.Contains(page, `href="/in/ada-example/"`) {
		t.Error("the compose page does not name Ada")
	}
	v.mustPost(v.letter("Hello", "", idOf(t, s, ada.Slug)), http.StatusOK)
	answer, _ := v.get(compose, http.StatusFound)
	if got, want := answer.Header.Get("Location"), "/messaging/thread/"+s.Ledger()[0].ThreadID+"/"; got != want {
		t.Errorf("compose leads to %s, want %s", got, want)
	}
	v.mustPost(v.letter("Hello", "", idOf(t, s, ada.Slug)), http.StatusOK)
	if l := s.Ledger(); l[0].ThreadID != l[1].ThreadID {
		t.Error("a second first message made a second thread")
	}
}

func TestAMalformedDeliveryIsRefused(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	thread, err := s.AddThread(rita.Slug, ada.Slug)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		bend   func(letter)
		status int
	}{
		"tracking id in base64":   {func(l letter) { l.body["trackingId"] = "MDEyMzQ1Njc4OWFiY2RlZg==" }, 400},
		"tracking id beyond 0xff": {func(l letter) { l.body["trackingId"] = "0123456789abcde€" }, 400},
		"no tracking id":          {func(l letter) { delete(l.body, "trackingId") }, 400},
		"no csrf token":           {func(l letter) { l.header.Del("csrf-token") }, 403},
		"another csrf token":      {func(l letter) { l.header.Set("csrf-token", "ajax:1") }, 403},
		"json content type":       {func(l letter) { l.header.Set("content-type", "application/json") }, 400},
		"another's mailbox":       {func(l letter) { l.body["mailboxUrn"] = "urn:li:fsd_profile:" + idOf(t, s, ada.Slug) }, 403},
		"unknown thread":          {func(l letter) { l.message()["conversationUrn"] = "urn:li:msg_conversation:(x,2-y)" }, 404},
		"thread and recipient":    {func(l letter) { l.body["hostRecipientUrns"] = []string{"urn:li:fsd_profile:x"} }, 400},
		"dedupe asked for":        {func(l letter) { l.body["dedupeByClientGeneratedToken"] = true }, 400},
		"empty text":              {func(l letter) { l.message()["body"] = map[string]any{"attributes": []any{}, "text": " "} }, 400},
		"unknown field":           {func(l letter) { l.body["extra"] = 1 }, 400},
		"too large":               {func(l letter) { l.body["conversationTitle"] = strings.Repeat("x", 70<<10) }, 413},
	} {
		t.Run(name, func(t *testing.T) {
			l := v.letter("Hello", thread.ID, "")
			c.bend(l)
			v.mustPost(l, c.status)
		})
	}
	v.mustPost(v.letter("Hello", "", idOf(t, s, carl.Slug)), http.StatusForbidden) // not connected
	if n, copies := s.CreateRequests(), len(s.Ledger()); n != 0 || copies != 0 {
		t.Errorf("%d requests and %d copies were recorded, want none", n, copies)
	}
}

func TestCopiesAreToldApart(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	thread, err := s.AddThread(rita.Slug, ada.Slug)
	if err != nil {
		t.Fatal(err)
	}
	post := func(text, token, click string) {
		l := v.letter(text, thread.ID, "")
		l.message()["originToken"] = token
		l.header.Set("x-standin-click", click)
		v.mustPost(l, http.StatusOK)
	}
	token := func(n string) string { return "00000000-0000-4000-8000-00000000000" + n }
	post("one", token("1"), "a")
	post("one", token("1"), "a") // the browser repeats
	post("one", token("2"), "a") // the page posts again for that click
	post("one", token("3"), "b") // a second click
	post("two", token("4"), "c") // another text is another message
	got := []int{s.Duplicates(), s.BrowserCopies(), s.PageCopies(), s.Ledger()[3].Repeat, s.Ledger()[4].Repeat}
	if diff := cmp.Diff([]int{1, 1, 1, 3, 0}, got); diff != "" {
		t.Errorf("duplicates, browser copies, page copies, repeats:\n%s", diff)
	}
	if clicks := s.Clicks(); len(clicks) != 3 { // told by their requests alone
		t.Errorf("%d clicks are known, want 3", len(clicks))
	}
	if view := v.read("/standin/ledger"); view["duplicates"] != 1.0 || len(view["copies"].([]any)) != 5 {
		t.Errorf("the ledger view says %v", view)
	}

	s.Reset()
	state := s.State()
	if len(state.Copies)+len(state.Requests)+len(state.Clicks)+len(state.Accesses) != 0 {
		t.Error("Reset kept records")
	}
	if _, page := v.get("/messaging/thread/"+thread.ID+"/", http.StatusOK); strings.Contains(page, ">one<") {
		t.Error("Reset kept an accepted message in its thread")
	}
}
