package console_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
)

// accountPage makes an account, and is the address of its page.
func (s *site) accountPage() string {
	s.t.Helper()
	var id uuid.UUID
	_, _, err := s.command.Run(s.t.Context(), s.who, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		var err error
		id, err = s.account(s.t.Context(), tx)
		return command.Answer{}, uuid.Nil, err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return "/accounts/" + id.String()
}

func (s *site) setClock(at time.Time) {
	s.t.Helper()
	if _, err := s.admin.Exec(context.WithoutCancel(s.t.Context()), "UPDATE clock_offset SET ahead = $1 - clock_timestamp()", at); err != nil {
		s.t.Fatal(err)
	}
}

func (p page) want(t *testing.T, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(p.Body, want) {
			t.Errorf("%s lacks %q: %s", p.Path, want, p.Body)
		}
	}
}

var berlin = url.Values{
	"zone": {"Europe/Berlin"}, "opens": {"09:00"}, "closes": {"18:00"}, "days": {"monday", "tuesday"}, "holidays": {"2026-12-28\r\n2026-12-29"}, "late_days": {"2"},
}

// Goal: the page of an account says what happens before a button is pressed: when it may begin, how many have begun, and who set what.
func TestAnAccountsHoursAndLimits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.setClock(time.Date(2026, time.December, 26, 12, 0, 0, 0, time.UTC))
	renewed, err := s.access.CreateLink(t.Context(), access.Admin, "")
	if err != nil {
		t.Fatal(err)
	}
	s.link = renewed
	s.signIn()
	path := s.accountPage()
	s.get("/accounts").want(t, `href="`+path+`"`)
	s.get(path).want(t, "it sends at any hour", "It may begin a message now", "Today 0 of at most", "Checks go on at any hour", "for what is queued as well", "these are the usual ones", "> Monday</label>")

	form := url.Values{"key": {"one"}}
	for field, value := range berlin {
		form[field] = value
	}
	set := s.post(path+"/hours", form)
	set.want(t, "It begins nothing before", "Mon 4 Jan 2027, 09:00 CET", "these are not the working hours", "2026-12-28\n2026-12-29", `value="monday" checked`, "Set by ")
	if strings.Contains(set.Body, `value="wednesday" checked`) {
		t.Error("Wednesday is a working day")
	}
	limits := url.Values{
		"key": {"two"}, "per_day": {"7"}, "per_hour": {"2"}, "gap_seconds": {"60"}, "jitter_seconds": {"0"}, "warm_up_from": {"7"}, "warm_up_days": {"0"}, "why": {"we asked <them>"},
	}
	s.post(path+"/limits", limits).want(t, "Today 0 of at most 7", "we asked &lt;them&gt;", `name="per_day" type="number" required min="0" value="7"`)

	m := s.propose("Hello Ada")
	s.get("/messages/"+m.ID.String()).want(t, "not before", "2027-01-04T08:00:00Z")
}

// Goal: what is no hours or limits is said, and whoever may not set them has no form.
func TestHoursAndLimitsThatAreNone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	path := s.accountPage()
	for field, value := range map[string]string{"zone": "Berlin", "opens": "x", "late_days": "soon", "days": "someday"} {
		form := url.Values{"key": {"key " + field}}
		for name, values := range berlin {
			form[name] = values
		}
		form[field] = []string{value}
		if p := s.post(path+"/hours", form); p.Status != 422 {
			t.Errorf("%s: %d %s", field, p.Status, p.Body)
		}
	}
	if p := s.post(path+"/limits", url.Values{"key": {"k"}, "per_day": {"many"}}); p.Status != 422 {
		t.Errorf("limits: %d %s", p.Status, p.Body)
	}
	viewer := s.as(access.Viewer)
	shown := viewer("GET", path, nil)
	shown.want(t, "usual:")
	if strings.Contains(shown.Body, "<form method=\"post\" action=\"/accounts") || viewer("POST", path+"/hours", berlin).Status != 403 {
		t.Error("a viewer may set hours")
	}
	if p := s.get("/accounts/" + uuid.NewString()); p.Status != 404 {
		t.Errorf("of no account: %d", p.Status)
	}
}
