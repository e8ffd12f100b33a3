package sim

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// site is LinkedIn: its people, their conversations, and the ledger of every copy that it took.
type site struct {
	w       *World
	members []*member
	persons []*person
	threads []*thread
	clicks  int
	taken   int
	// pressed are the clicks of our page scripts.
	pressed []press
}

type member struct{ id, slug, name string }

type person struct {
	id, slug, name string
	connected      bool
}

// press is one click of a page script on Send.
type press struct {
	click  int
	text   string
	member *member
	person *person
	at     time.Time
}

// copied is one message that stands in a conversation.
type copied struct {
	id      string
	own     bool // of the member
	text    string
	at      time.Time
	visible time.Time
	press   int  // the click of ours that made it; 0: a hand
	typed   bool // by our page script, though a hand sent it
}

type thread struct {
	id     string
	member *member
	person *person
	copies []*copied
	seen   *copied // the newest of the member's that the person has seen, or nil
}

const (
	origin       = "https://www.linkedin.com"
	profileStart = "urn:li:fsd_profile:"
)

func (m *member) urn() string { return profileStart + m.id }
func (p *person) urn() string { return profileStart + p.id }

func (m *member) shown() map[string]string {
	return map[string]string{"urn": m.urn(), "slug": m.slug, "name": m.name}
}

func composeURL(p *person) string {
	return origin + "/messaging/compose/?profileUrn=" + url.QueryEscape(p.urn()) + "&recipient=" + p.id +
		"&screenContext=NON_SELF_PROFILE_VIEW&interop=msgOverlay"
}

func threadURL(t *thread) string { return origin + "/messaging/thread/" + t.id + "/" }

// page is what an address leads to in a tab.
func (s *site) page(t *tab, address string) *document {
	d := &document{tab: t, member: t.b.member, kind: feedPage, url: address, began: time.Now()}
	switch {
	case t.b.isSignedOut():
		d.kind, d.url = signInPage, origin+"/uas/login"
		return d
	case s.w.faults && s.w.chance(brokenPageShare):
		d.kind = brokenPage
		return d
	}
	defer s.w.opened(d)
	path := strings.TrimPrefix(address, origin)
	switch {
	case strings.HasPrefix(path, "/in/"):
		slug := strings.Trim(strings.TrimPrefix(path, "/in/"), "/")
		if i := slices.IndexFunc(s.persons, func(p *person) bool { return p.slug == slug }); i >= 0 {
			d.kind, d.person = profilePage, s.persons[i]
		}
	case strings.HasPrefix(path, "/messaging/compose/"):
		i := slices.IndexFunc(s.persons, func(p *person) bool { return strings.Contains(path, "recipient="+p.id+"&") })
		d.kind, d.person = composePage, s.persons[i]
		if t := s.find(d.member, d.person); t != nil {
			d.open(t)
		}
	case strings.HasPrefix(path, "/messaging/thread/"):
		i := slices.IndexFunc(s.threads, func(one *thread) bool { return strings.Contains(path, one.id) && one.member == d.member })
		if i >= 0 {
			d.open(s.threads[i])
		}
	}
	return d
}

// open turns the page into that of a conversation.
func (d *document) open(t *thread) {
	d.kind, d.thread, d.person, d.url = threadPage, t, t.person, threadURL(t)
}

func (s *site) find(m *member, p *person) *thread {
	for _, t := range s.threads {
		if t.member == m && t.person == p {
			return t
		}
	}
	return nil
}

// accept puts a message into the conversation of two people, which may begin with it. mayLag: it may be shown later.
func (s *site) accept(m *member, p *person, c *copied, mayLag bool) *thread {
	t := s.find(m, p)
	if t == nil {
		t = &thread{id: fmt.Sprintf("2-%s", base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "thread%03d_100", len(s.threads)))), member: m, person: p}
		s.threads = append(s.threads, t)
	}
	s.taken++
	c.at = time.Now()
	c.visible = c.at
	if mayLag && s.w.faults && s.w.chance(lagShare) {
		c.visible = c.at.Add(s.w.between(time.Second, lagMax))
	}
	inner := fmt.Sprintf("%013db%05d-%03d&%s", c.at.UnixMilli(), s.taken, 100, "thread")
	c.id = fmt.Sprintf("urn:li:msg_message:(%s,2-%s)", m.urn(), base64.StdEncoding.EncodeToString([]byte(inner)))
	t.copies = append(t.copies, c)
	s.show(t, time.Until(c.visible))
	return t
}

// show tells the pages of a conversation that something new stands in it.
func (s *site) show(t *thread, after time.Duration) {
	s.w.later(max(after, 0), "LinkedIn", "shows a message", func() {
		for _, b := range s.w.browsers {
			for _, tab := range b.ourTabs() {
				if tab.doc != nil && tab.doc.thread == t {
					tab.doc.changed()
				}
			}
		}
	}).free = true
}

// items are the messages that a page of the conversation shows.
func (t *thread) items(most int) []map[string]any {
	items := []map[string]any{}
	for _, c := range t.copies {
		if c.visible.After(time.Now()) {
			continue
		}
		sender := t.member.id
		if !c.own {
			sender = t.person.id
		}
		items = append(items, map[string]any{"urn": c.id, "own": c.own, "sender": sender, "text": c.text, "seen": c == t.seen})
	}
	return items[max(0, len(items)-most):]
}
