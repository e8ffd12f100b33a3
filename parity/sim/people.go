package sim

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"sendonce/server/rule"
)

// people are those who use the console and the API: they propose, approve, change their minds and sometimes err.
type people struct {
	w        *World
	token    string
	accounts map[*member]string
	messages []*message
	paused   map[scope]int // how many sends of it had begun when it was paused
	marked   map[*person]mark
	merged   bool   // two people may be one
	steps    *steps // nil in most worlds
	limited  bool   // the team allows so many messages to one person
	keys     int
	texts    int
}

// message is what was asked for, as the people know it.
type message struct {
	id       string
	member   *member
	person   *person
	version  int
	digest   string
	body     string
	purpose  string
	approved map[string]bool // texts that were ever approved
	since    time.Time       // when it was last approved
	repeat   bool            // an approval of it ever said yes to a repeat
	window   time.Duration   // for how long it may go out; 0: for ever
	erred    bool            // a person said "not delivered" of what was
}

// shownSend and shownMessage are what the API shows.
type shownSend struct {
	ID, Code, Reason, Instruction string
	Status                        rule.Status
	WaitingFor                    string `json:"waiting_for"`
}

type shownMessage struct {
	ID, Digest string
	Version    int
	Sends      []shownSend
}

// ask makes one request; when the server dies over it, the same request is made once more under the same key.
func (p *people) ask(method, path string, body, answer any) reply {
	p.keys++
	key := fmt.Sprintf("key-%d", p.keys)
	for range 2 {
		s := p.w.aliveServer()
		if s == nil {
			return reply{}
		}
		got := s.ask(p.token, key, method, path, body, answer)
		p.w.settle()
		if got.status != 0 {
			p.w.tell("people: %s %s: %d %s", method, anyID.ReplaceAllString(path, "…"), got.status, got.problem.Code)
			if got.status >= http.StatusInternalServerError {
				p.w.breach("%s %s is answered %d", method, path, got.status)
			}
			return got
		}
	}
	return reply{}
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// stands says whether a copy of the message stands in the conversation for all to see.
func (s *site) stands(m *message) bool {
	t := s.find(m.member, m.person)
	return t != nil && slices.ContainsFunc(t.copies, func(c *copied) bool {
		return c.own && c.text == m.body && !c.visible.After(time.Now())
	})
}
