package api

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/event"
	"sendonce/server/problem"
)

// Events is the feed. *event.Feed implements it.
type Events interface {
	Latest(ctx context.Context, workspace uuid.UUID) (event.Cursor, error)
	Await(ctx context.Context, who access.Principal, after *event.Cursor, most int, wait time.Duration) (event.Page, error)
	Sit(who access.Principal) (*event.Seat, error)
	Ended() <-chan struct{}
}

// changeView is an event as programs see it. From and to are states of what the type names; principal is a name.
type changeView struct {
	ID          int64      `json:"id"`
	Cursor      string     `json:"cursor"`
	At          time.Time  `json:"at"`
	Type        event.Type `json:"type"`
	MessageID   *uuid.UUID `json:"message_id"`
	Version     *int       `json:"version"`
	SendID      *uuid.UUID `json:"send_id"`
	AccountID   *uuid.UUID `json:"account_id"`
	PersonID    *uuid.UUID `json:"person_id"`
	InstallID   *uuid.UUID `json:"install_id"`
	IncidentID  *uuid.UUID `json:"incident_id"`
	SequenceID  *uuid.UUID `json:"sequence_id"`
	EnrolmentID *uuid.UUID `json:"enrolment_id"`
	From        *string    `json:"from"`
	To          *string    `json:"to"`
	Code        *string    `json:"code"`
	Actor       string     `json:"actor"`
	Principal   *string    `json:"principal"`
}

func showChange(e event.Event) changeView {
	return changeView{
		ID: e.ID, Cursor: e.Cursor.String(), At: e.At, Type: e.Type, MessageID: e.Message, Version: e.Version, SendID: e.Send,
		AccountID: e.Account, PersonID: e.Person, InstallID: e.Install, IncidentID: e.Incident, SequenceID: e.Sequence, EnrolmentID: e.Enrolment, From: e.From, To: e.To, Code: e.Code, Actor: e.Actor,
		Principal: e.Principal,
	}
}

// feedView is a part of the feed. It has always a next cursor: the feed has no end.
type feedView struct {
	Items         []changeView `json:"items"`
	NextCursor    string       `json:"next_cursor"`
	HeldBackSince *time.Time   `json:"held_back_since"`
}

// latest stands in ?after= for the cursor of the last event.
const latest = "latest"

// readEvents shows what follows ?after=, waiting for it as long as ?wait= says, or streams it.
func (a *API) readEvents(c call) error {
	streams := wantsStream(c.Request())
	after, err := a.readAfter(c, streams)
	if err != nil {
		return err
	}
	if streams {
		return a.streamEvents(c, after)
	}
	most, err := readLimit(c)
	if err != nil {
		return err
	}
	wait, err := readWait(c)
	if err != nil {
		return err
	}
	if wait > 0 { // the server's own bound on reading a request would end it
		if err := http.NewResponseController(c.Response()).SetReadDeadline(time.Now().Add(wait + config.RequestWithin)); err != nil {
			return err
		}
	}
	page, err := a.events.Await(c.ctx(), c.who, after, most, wait)
	if err != nil {
		return err
	}
	if wait > 0 { // meanwhile the token may have been revoked
		if _, err := a.principal(c.ctx(), c, access.Read); err != nil {
			return err
		}
	}
	v := feedView{Items: make([]changeView, 0, len(page.Events)), NextCursor: page.Next.String(), HeldBackSince: page.HeldBackSince}
	for _, e := range page.Events {
		v.Items = append(v.Items, showChange(e))
	}
	return showJSON(c, http.StatusOK, v)
}

// readAfter is the cursor to go on from; nil begins with the oldest event. A stream that is taken up again names the last event
// it brought, and that counts.
func (a *API) readAfter(c call, streams bool) (*event.Cursor, error) {
	text, last := c.QueryParam("after"), c.Request().Header.Get("Last-Event-ID")
	var cursor event.Cursor
	var err error
	switch {
	case streams && last != "":
		cursor, err = event.ParseCursor(last)
	case text == "":
		return nil, nil
	case text == latest:
		cursor, err = a.events.Latest(c.ctx(), c.who.Workspace)
	default:
		cursor, err = event.ParseCursor(text)
	}
	return &cursor, err
}

// readWait is how long to wait for the first event.
func readWait(c call) (time.Duration, error) {
	text := c.QueryParam("wait")
	if text == "" {
		return 0, nil
	}
	most := int(config.EventWaitMax / time.Second)
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 0 || seconds > most {
		return 0, problem.Field("wait", "it must be a number of seconds from 0 to %d", most)
	}
	return time.Duration(seconds) * time.Second, nil
}

// wantsStream reports whether the Accept header names the media type of server-sent events.
func wantsStream(r *http.Request) bool {
	for _, line := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(line, ",") {
			if kind, _, err := mime.ParseMediaType(part); err == nil && kind == streamType {
				return true
			}
		}
	}
	return false
}
