package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/auth"
	"sendonce/server/config"
	"sendonce/server/problem"
)

// Only what was signed with a good secret of this source, byte for byte and lately, is taken; the refusal keeps nothing.
func TestCallbackSignatures(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.provider("Mailer", "admin")
	other := s.provider("Sender", "admin")
	path, body, now := "/v1/callbacks/"+p.id, batch(event("evt_1", "delivered", "copy", time.Now(), "")), time.Now()
	slack := config.CallbackClockSlack
	without := func(name string, headers []string) []string { return append(headers, name+": ") }
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
		code    string
	}{
		"two days old":             {body, sign(p.secret, "m", now.Add(-48*time.Hour), body), 401, "bad_signature"},
		"a minute too old":         {body, sign(p.secret, "m", now.Add(-slack-time.Minute), body), 401, "bad_signature"},
		"a minute too new":         {body, sign(p.secret, "m", now.Add(slack+time.Minute), body), 401, "bad_signature"},
		"one byte more":            {body + " ", sign(p.secret, "m", now, body), 401, "bad_signature"},
		"one byte changed":         {strings.Replace(body, "copy", "cope", 1), sign(p.secret, "m", now, body), 401, "bad_signature"},
		"another message's":        {body, append(sign(p.secret, "m", now, body), "webhook-id: other"), 401, "bad_signature"},
		"another source's secret":  {body, sign(other.secret, "m", now, body), 401, "bad_signature"},
		"no signature":             {body, without("webhook-signature", sign(p.secret, "m", now, body)), 401, "bad_signature"},
		"no id":                    {body, without("webhook-id", sign(p.secret, "m", now, body)), 401, "bad_signature"},
		"no timestamp":             {body, without("webhook-timestamp", sign(p.secret, "m", now, body)), 401, "bad_signature"},
		"an API token":             {body, []string{s.as("admin")}, 401, "bad_signature"},
		"another kind of body":     {body, append(sign(p.secret, "m", now, body), "Content-Type: text/plain"), 415, "unsupported_media_type"},
		"a body beyond the bounds": {strings.Repeat("x", 2<<20), sign(p.secret, "m", now, body), 413, "body_too_large"},
	} {
		a := s.ask("POST", path, c.body, c.headers...)
		if a.Status != c.status || a.text("code") != c.code {
			t.Errorf("%s: %d %s, want %d %s", name, a.Status, a.Body, c.status, c.code)
		}
	}
	for name, path := range map[string]string{"a source that is none": "/v1/callbacks/11111111-1111-4111-8111-111111111111", "no id": "/v1/callbacks/mailer"} {
		if a := s.ask("POST", path, body, sign(p.secret, "m", now, body)...); a.Status != 404 {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	if got := s.stored(); got != "0 facts, 0 ids" {
		t.Errorf("refused, and kept %s", got)
	}
	if a := s.ask("POST", path, body, sign(p.secret, "m", now.Add(-slack+time.Minute), body)...); a.Status != 200 {
		t.Errorf("four minutes old: %d %s", a.Status, a.Body)
	}
}

// Keys rotate: the former secret is good for a day more, then the new one alone. A secret is shown once, and kept in no clear form.
func TestCallbackSources(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p, admin := s.provider("Mailer", "admin"), s.principal("admin")
	id := uuid.MustParse(p.id)
	_, secret, err := s.callbacks.Renew(t.Context(), admin, id, "")
	if err != nil || secret == "" || secret == p.secret {
		t.Fatalf("renew: %v", err)
	}
	newer := provider{s, p.id, secret}
	p.want(t, "1 0 1", event("1", "read", "copy", time.Now(), ""))
	newer.want(t, "1 0 1", event("2", "read", "copy", time.Now(), ""))
	s.advance(config.CallbackSecretOverlap + time.Minute)
	if a := p.say(batch(event("3", "read", "copy", time.Now(), ""))); a.Status != 401 {
		t.Errorf("a former secret, a day later: %d %s", a.Status, a.Body)
	}
	newer.want(t, "1 0 1", event("3", "read", "copy", time.Now(), ""))

	const given = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	made, shown, err := s.callbacks.Create(t.Context(), admin, " Theirs ", given)
	if err != nil || shown != "" || made.Name != "Theirs" {
		t.Errorf("a given secret: %+v, shown %q, %v", made, shown, err)
	}
	provider{s, made.ID.String(), given}.want(t, "1 0 1", event("1", "read", "copy", time.Now(), ""))
	key, _ := auth.ReadWebhookSecret(given)
	if n := s.count(`SELECT count(*) FROM callback_secrets WHERE position($1::bytea IN sealed) > 0`, key); n != 0 {
		t.Error("a secret stands in clear in the database")
	}
	for _, c := range []struct {
		name, secret string
		code         problem.Code
		field        string
	}{
		{"Mailer", "", problem.SourceExists, ""},
		{" ", "", problem.InvalidField, "name"},
		{"a\x00", "", problem.InvalidField, "name"},
		{strings.Repeat("x", config.SourceNameRunesMax+1), "", problem.InvalidField, "name"},
		{"x", "whsec_AAAA", problem.InvalidField, "secret"},
		{"x", given[len("whsec_"):], problem.InvalidField, "secret"},
	} {
		_, _, err := s.callbacks.Create(t.Context(), admin, c.name, c.secret)
		if refused := problem.As(err); refused == nil || refused.Code != c.code || refused.Field != c.field {
			t.Errorf("%q %q: %v, want %s %s", c.name, c.secret, err, c.code, c.field)
		}
	}
	stranger := s.principal("stranger")
	if _, _, err := s.callbacks.Renew(t.Context(), stranger, id, ""); !problem.Is(err, problem.NotFound) {
		t.Errorf("renewed from another workspace: %v", err)
	}
	if err := s.callbacks.End(t.Context(), stranger, id); !problem.Is(err, problem.NotFound) {
		t.Errorf("ended from another workspace: %v", err)
	}
	for range 2 {
		if err := s.callbacks.End(t.Context(), admin, id); err != nil {
			t.Errorf("end: %v", err)
		}
	}
	if a := newer.say(batch(event("4", "read", "copy", time.Now(), ""))); a.Status != 410 || a.text("code") != "source_ended" {
		t.Errorf("an ended source: %d %s", a.Status, a.Body)
	}
	if _, _, err := s.callbacks.Renew(t.Context(), admin, id, ""); !problem.Is(err, problem.SourceEnded) {
		t.Errorf("a secret for an ended source: %v", err)
	}
	s.provider("Mailer", "admin") // its name is free again
	if list, err := s.callbacks.List(t.Context(), admin.Workspace); err != nil || len(list) != 3 || list[1].Name != "Theirs" || list[2].EndedAt == nil {
		t.Errorf("listed %+v, %v", list, err)
	}
}

// A malformed event refuses the whole callback by its path, and nothing is kept, not even the good one before it.
func TestMalformedCallbacks(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.provider("Mailer", "admin")
	good := event("evt_1", "delivered", "copy", time.Now(), "")
	bad := func(member, value string) string {
		members := map[string]string{"id": `"evt_2"`, "type": `"read"`, "provider_id": `"copy"`, "at": `"2026-01-02T03:04:05Z"`}
		members[member] = value
		var out []string
		for name, value := range members {
			if value != "" {
				out = append(out, fmt.Sprintf("%q:%s", name, value))
			}
		}
		return batch(good, "{"+strings.Join(out, ",")+"}")
	}
	long := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	many := make([]string, config.CallbackEventsMax+1)
	for i := range many {
		many[i] = event(fmt.Sprint(i), "read", "copy", time.Now(), "")
	}
	const beforeAnyYear = `"0000-01-01T00:00:00+23:59"` // in UTC it is in no year that JSON can say
	for body, want := range map[string]string{
		"":                                   "unsupported_media_type ",
		"null":                               "invalid_json ",
		"{}":                                 "invalid_field events",
		`{"events":null}`:                    "invalid_field events",
		batch():                              "invalid_field events",
		batch(many...):                       "invalid_field events",
		`{"events":{}}`:                      "invalid_field events",
		`{"events":[7]}`:                     "invalid_field events.0",
		`{"events":[],"events":[]}`:          "invalid_json events",
		`{"events":[],"more":1}`:             "unknown_field more",
		"{\"events\":\"\xff\"}":              "invalid_json events",
		`{"events":[{"id":"\ud800"}]}`:       "invalid_json events.0.id",
		strings.Repeat(`{"events":[`, 6000):  "unknown_field events.0.events",
		bad("more", "1"):                     "unknown_field events.1.more",
		bad("type", ""):                      "invalid_field events.1.type",
		bad("type", "null"):                  "invalid_field events.1.type",
		bad("type", `"opened"`):              "invalid_field events.1.type",
		bad("type", "3"):                     "invalid_field events.1.type",
		bad("provider_id", ""):               "invalid_field events.1.provider_id",
		bad("provider_id", `""`):             "invalid_field events.1.provider_id",
		bad("provider_id", `"a\u0000b"`):     "invalid_field events.1.provider_id",
		bad("provider_id", `"\u200b\u200d"`): "invalid_field events.1.provider_id",
		bad("provider_id", long(501)):        "invalid_field events.1.provider_id",
		bad("id", long(201)):                 "invalid_field events.1.id",
		bad("id", `"a\nb"`):                  "invalid_field events.1.id",
		bad("id", "7"):                       "invalid_field events.1.id",
		bad("id", `"evt_1"`):                 "invalid_field events.1.id",
		bad("at", ""):                        "invalid_field events.1.at",
		bad("at", `"yesterday"`):             "invalid_field events.1.at",
		bad("at", "1764500000"):              "invalid_field events.1.at",
		bad("at", `"2226-01-02T03:04:05Z"`):  "invalid_field events.1.at",
		bad("at", beforeAnyYear):             "invalid_field events.1.at",
		bad("message_id", `"x"`):             "invalid_field events.1.message_id",
		bad("message_id", "[]"):              "invalid_field events.1.message_id",
		bad("detail", long(501)):             "invalid_field events.1.detail",
		bad("detail", `{}`):                  "invalid_field events.1.detail",
		bad("detail", `"a\u001bb"`):          "invalid_field events.1.detail",
	} {
		a := p.say(body)
		if got := a.text("code") + " " + a.text("field"); a.Status < 400 || a.Status > 499 || !strings.HasPrefix(got, want) {
			t.Errorf("%.80s: %d %s, want %s", body, a.Status, a.Body, want)
		}
	}
	if got := s.stored(); got != "0 facts, 0 ids" {
		t.Errorf("refused, and kept %s", got)
	}
	p.want(t, "1 0 1", event("evt_1", "delivered", "  an id as it is  ", time.Now(), ""))
}
