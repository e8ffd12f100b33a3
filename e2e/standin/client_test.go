package standin_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"sendonce/e2e/standin"

	"github.com/google/uuid"
)

const (
	origin = "https://www.linkedin.com"
	// patience bounds each wait of a test.
	patience = 20 * time.Second
)

var (
	rita = standin.Person{Slug: "rita-recruiter", Name: "Rita Recruiter"}
	ada  = standin.Person{Slug: "ada-example", Name: "Ada Example", Connected: true}
	ben  = standin.Person{Slug: "jürgen-beispiel", Name: "Jürgen Beispiel", Connected: true}
	carl = standin.Person{Slug: "carl-stranger", Name: "Carl Stranger"}
)

// startServer starts a stand-in with Rita as its member, and everyone's ids.
func startServer(t *testing.T, protocol standin.Protocol) *standin.Server {
	t.Helper()
	s, err := standin.Start(standin.Options{
		Members: []standin.Person{rita}, People: []standin.Person{ada, ben, carl}, Seed: 1, Protocol: protocol,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func idOf(t *testing.T, s *standin.Server, slug string) string {
	t.Helper()
	p, err := s.Person(slug)
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

// visitor is a program that plays the page: cookies, csrf, own connections.
type visitor struct {
	t      *testing.T
	server *standin.Server
	client *http.Client
}

// newVisitor returns a visitor who follows no redirect.
func newVisitor(t *testing.T, s *standin.Server) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Addr())
		},
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // the certificate is made at start
		ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &visitor{t, s, &http.Client{
		Jar: jar, Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// signedIn returns a visitor who is signed in as Rita.
func signedIn(t *testing.T, s *standin.Server) *visitor {
	t.Helper()
	v := newVisitor(t, s)
	v.get("/standin/sign-in?member="+rita.Slug, http.StatusFound)
	return v
}

// get wants a status and returns the answer and its body.
func (v *visitor) get(path string, status int) (*http.Response, string) {
	v.t.Helper()
	request, err := http.NewRequest(http.MethodGet, origin+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("csrf-token", v.csrf())
	answer, err := v.client.Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if answer.StatusCode != status {
		v.t.Fatalf("GET %s: status %d, want %d", path, answer.StatusCode, status)
	}
	return answer, string(body)
}

// read gets JSON.
func (v *visitor) read(path string) map[string]any {
	v.t.Helper()
	_, body := v.get(path, http.StatusOK)
	var answer map[string]any
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		v.t.Fatalf("GET %s: %v", path, err)
	}
	return answer
}

func (v *visitor) csrf() string {
	u, _ := url.Parse(origin)
	for _, c := range v.client.Jar.Cookies(u) {
		if c.Name == "JSESSIONID" {
			return strings.Trim(c.Value, `"`)
		}
	}
	return ""
}

// letter is a delivery request that a test may bend before it is posted.
type letter struct {
	body   map[string]any
	header http.Header
}

// letter makes a well-formed request: to a thread, or a first one to a person.
func (v *visitor) letter(text, thread, person string) letter {
	owner := idOf(v.t, v.server, rita.Slug)
	message := map[string]any{
		"body":                map[string]any{"attributes": []any{}, "text": text},
		"renderContentUnions": []any{}, "originToken": uuid.NewString(),
	}
	body := map[string]any{
		"message": message, "mailboxUrn": "urn:li:fsd_profile:" + owner,
		"trackingId": "0123456789abcd\u00ff\u0001", "dedupeByClientGeneratedToken": false,
	}
	if thread != "" {
		message["conversationUrn"] = fmt.Sprintf("urn:li:msg_conversation:(urn:li:fsd_profile:%s,%s)", owner, thread)
	} else {
		body["hostRecipientUrns"] = []string{"urn:li:fsd_profile:" + person}
	}
	return letter{body, http.Header{
		"Content-Type": {"text/plain;charset=UTF-8"}, "Accept": {"application/json"}, "Csrf-Token": {v.csrf()},
	}}
}

func (l letter) message() map[string]any { return l.body["message"].(map[string]any) }

// post sends a letter; the answer may be none.
func (v *visitor) post(l letter) (*http.Response, string, error) {
	raw, err := json.Marshal(l.body)
	if err != nil {
		v.t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost,
		origin+"/voyager/api/voyagerMessagingDashMessengerMessages?action=createMessage", bytes.NewReader(raw))
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header = l.header
	request.GetBody = nil // the client must not repeat by itself
	answer, err := v.client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer, string(body), err
}

// mustPost wants a status.
func (v *visitor) mustPost(l letter, status int) (*http.Response, string) {
	v.t.Helper()
	answer, body, err := v.post(l)
	if err != nil {
		v.t.Fatal(err)
	}
	if answer.StatusCode != status {
		v.t.Fatalf("createMessage: status %d, want %d: %s", answer.StatusCode, status, body)
	}
	return answer, body
}

// wait waits for a condition of the stand-in.
func wait(t *testing.T, s *standin.Server, condition func(standin.State) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.Wait(ctx, condition); err != nil {
		t.Fatal(err)
	}
}

// quote writes a text as a JavaScript string.
func quote(text string) string {
	raw, _ := json.Marshal(text) // a string always encodes
	return string(raw)
}
