package api

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/event"
	"sendonce/server/problem"
)

// streamType is the media type of server-sent events (HTML Living Standard, section 9.2).
const streamType = "text/event-stream"

// streamTimes are the times of a stream.
type streamTimes struct {
	heartbeat time.Duration // between two signs of life
	write     time.Duration // a reader that takes longer to take in what was sent is dropped
	lasts     time.Duration // then it comes back with its cursor
}

var usualTimes = streamTimes{heartbeat: config.EventHeartbeatEvery, write: config.SocketWriteWithin, lasts: config.EventStreamLasts}

// stream writes server-sent events to one reader.
type stream struct {
	to      http.ResponseWriter
	control *http.ResponseController
	within  time.Duration
}

// send writes what the buffer holds, all of it within the time that one write may take.
func (s stream) send(out *bytes.Buffer) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(s.within)); err != nil {
		return err
	}
	if _, err := s.to.Write(out.Bytes()); err != nil {
		return err
	}
	return s.control.Flush()
}

// show writes a page. The id of each event is its cursor: whoever comes back names the last one they got. Where there is none, a
// comment shows both sides that the other is there, and an id without data where the reader stands: one who began at the latest
// event and lost the connection before the next must not begin at a later one.
func (s stream) show(page event.Page) error {
	var out bytes.Buffer
	if len(page.Events) == 0 {
		fmt.Fprintf(&out, ": still here\nid: %s\n\n", page.Next)
	}
	for _, e := range page.Events {
		body, err := json.Marshal(showChange(e))
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "id: %s\ndata: %s\n\n", e.Cursor, body)
	}
	return s.send(&out)
}

// streamEvents shows events as they come, until the reader leaves or is too slow, the token is no longer good, the server stops
// or the stream has lasted long enough. What goes wrong before the first byte is a problem as anywhere; afterwards the stream
// ends, and the reader takes it up again by its last cursor.
func (a *API) streamEvents(c call, after *event.Cursor) error {
	for _, name := range []string{"wait", "limit"} {
		if c.QueryParam(name) != "" {
			return problem.Field(name, "a stream has none")
		}
	}
	seat, err := a.events.Sit(c.who)
	if err != nil {
		return err
	}
	defer seat.Leave()
	page, err := seat.Read(c.ctx(), after, config.PageSizeMax)
	if err != nil {
		return err
	}
	s := stream{to: c.Response(), control: http.NewResponseController(c.Response()), within: a.streams.write}
	if err := s.control.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	c.Response().Header().Set("Content-Type", streamType)
	c.Response().WriteHeader(http.StatusOK)
	if err := a.follow(c, s, seat, page); err != nil && c.ctx().Err() == nil && problem.As(err) == nil {
		a.log.Warn("a stream of events ended", "error", err)
	}
	return nil
}

// follow shows the page and what comes after it.
func (a *API) follow(c call, s stream, seat *event.Seat, page event.Page) error {
	heart := time.NewTicker(a.streams.heartbeat)
	defer heart.Stop()
	over := time.NewTimer(a.streams.lasts)
	defer over.Stop()
	for {
		if err := s.show(page); err != nil {
			return nil // the reader has left, or was too slow
		}
		var more <-chan time.Time
		if len(page.Events) == config.PageSizeMax {
			more = time.After(0) // there may be: whoever has much to catch up with is let go as well when the server stops
		}
		select {
		case <-more:
		case <-seat.News():
		case <-heart.C:
		case <-over.C:
			return nil
		case <-a.events.Ended():
			return nil
		case <-c.ctx().Done():
			return nil
		}
		var err error
		if page, err = seat.Read(c.ctx(), &page.Next, config.PageSizeMax); err != nil {
			return err
		}
		// Only now: what was written after a token was revoked is not shown to it.
		if _, err := a.principal(c.ctx(), c, access.Read); err != nil {
			return err
		}
	}
}
