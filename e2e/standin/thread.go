package standin

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Thread is a conversation, seen by each of its participants.
type Thread struct {
	ID string
	// Participants are profile ids; the one who opened the thread is first.
	Participants []string

	messages []Message
	// seen is, by participant, the id of the newest message that they have seen.
	seen map[string]string
	// seeded threads survive Reset.
	seeded bool
}

// Message is one message of a thread, oldest first.
type Message struct {
	ID string
	// From is the sender's slug or id when given, the id when returned.
	// Empty is the thread's owner.
	From string
	Text string
	// At is when it was delivered; zero places it a day ago, in order.
	At          time.Time
	OriginToken string

	// hide keeps the message out of pages and history while it is shut.
	hide *Gate
	// accepted came through a delivery request, so Reset drops it.
	accepted bool
}

func (m Message) visible() bool { return m.hide == nil || m.hide.released() }

// others are the participants besides the viewer.
func (t *Thread) others(viewer string) []string {
	return slices.DeleteFunc(slices.Clone(t.Participants), func(id string) bool { return id == viewer })
}

func (t *Thread) group() bool { return len(t.Participants) > 2 }

// recipient names whom a member's message in the thread goes to; a group's
// recipients are joined by commas.
func (t *Thread) recipient(sender string) string { return strings.Join(t.others(sender), ",") }

func (t *Thread) visible() []Message {
	return slices.DeleteFunc(slices.Clone(t.messages), func(m Message) bool { return !m.visible() })
}

// exists says whether pages show that the thread exists: a first message that
// is still held back has not made one yet.
func (t *Thread) exists() bool { return t.seeded || len(t.visible()) > 0 }

// lastAt is when the newest visible message was delivered.
func (t *Thread) lastAt() time.Time {
	var last time.Time
	for _, m := range t.visible() {
		last = m.At
	}
	return last
}

// AddThread gives a member a thread with one person, both by slug or id.
func (s *Server) AddThread(owner, person string, messages ...Message) (Thread, error) {
	return s.AddGroup(owner, []string{person}, messages...)
}

// AddGroup gives a member a thread with several people, by slug or id.
func (s *Server) AddGroup(owner string, people []string, messages ...Message) (Thread, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var participants []string
	for _, name := range append([]string{owner}, people...) {
		p, err := s.person(name)
		if err != nil {
			return Thread{}, err
		}
		participants = append(participants, p.ID)
	}
	t := &Thread{ID: s.newThreadID(), Participants: participants, seeded: true}
	oldest := s.now().Add(-seededAge - time.Duration(len(messages))*seededGap)
	for i, m := range messages {
		if m.At.IsZero() {
			m.At = oldest.Add(time.Duration(i) * seededGap)
		}
		if _, err := s.say(t, m); err != nil {
			return Thread{}, err
		}
	}
	s.threads = append(s.threads, t)
	s.signal()
	return *t, nil
}

// Say adds a message to a thread as a participant would from elsewhere: a
// reply, or a message that the member typed by hand. A zero At is now.
func (s *Server) Say(threadID string, m Message) (Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.thread(threadID)
	if t == nil {
		return Message{}, fmt.Errorf("no thread %q; add it first", threadID)
	}
	if m.At.IsZero() {
		m.At = s.now()
	}
	m, err := s.say(t, m)
	s.signal()
	return m, err
}

// See has a participant (slug or id) see the thread as it stands: the newest message of somebody else is marked as seen by them,
// and no older one any more.
func (s *Server) See(threadID, participant string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.thread(threadID)
	if t == nil {
		return fmt.Errorf("no thread %q; add it first", threadID)
	}
	p, err := s.person(participant)
	if err != nil {
		return err
	}
	if !slices.Contains(t.Participants, p.ID) {
		return fmt.Errorf("%s is not in thread %s", p.Slug, t.ID)
	}
	for _, m := range t.visible() {
		if m.From != p.ID {
			if t.seen == nil {
				t.seen = map[string]string{}
			}
			t.seen[p.ID] = m.ID
		}
	}
	s.signal()
	return nil
}

// seenBy are the participants who have seen the thread up to a message, and no further. The caller holds s.mu.
func (s *Server) seenBy(t *Thread, message string) (people []Person) {
	for _, id := range t.Participants {
		if t.seen[id] == message {
			p, _ := s.person(id) // participants are known people
			people = append(people, p)
		}
	}
	return people
}

// Join adds a person (slug or id) to a thread, which makes it a group.
func (s *Server) Join(threadID, person string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.thread(threadID)
	if t == nil {
		return fmt.Errorf("no thread %q; add it first", threadID)
	}
	p, err := s.person(person)
	if err != nil {
		return err
	}
	t.Participants = append(t.Participants, p.ID)
	s.signal()
	return nil
}

// Drop deletes a thread: pages lead away from its address from then on.
func (s *Server) Drop(threadID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.threads = slices.DeleteFunc(s.threads, func(t *Thread) bool { return t.ID == threadID })
	s.signal()
}

// Texts are the visible messages of a thread, oldest first.
func (s *Server) Texts(threadID string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.thread(threadID)
	if t == nil {
		return nil
	}
	texts := []string{}
	for _, m := range t.visible() {
		texts = append(texts, m.Text)
	}
	return texts
}

// say resolves and appends a message. The caller holds s.mu.
func (s *Server) say(t *Thread, m Message) (Message, error) {
	if m.From == "" {
		m.From = t.Participants[0]
	}
	sender, err := s.person(m.From)
	if err != nil {
		return Message{}, err
	}
	if !slices.Contains(t.Participants, sender.ID) {
		return Message{}, fmt.Errorf("%s is not in thread %s", sender.Slug, t.ID)
	}
	m.From, m.ID = sender.ID, s.newMessageID(t.ID, m.At)
	if m.OriginToken == "" {
		m.OriginToken = s.newUUID()
	}
	t.messages = append(t.messages, m)
	return m, nil
}

// thread returns the thread with that id, or nil. The caller holds s.mu.
func (s *Server) thread(id string) *Thread {
	for _, t := range s.threads {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// threadWith returns the member's newest one-to-one thread with a person,
// held back or not, or nil. The caller holds s.mu.
func (s *Server) threadWith(member, person string) *Thread {
	for _, t := range slices.Backward(s.threads) {
		if !t.group() && slices.Contains(t.Participants, member) && slices.Contains(t.Participants, person) {
			return t
		}
	}
	return nil
}

// threadsOf returns the threads that a member's inbox lists, the one with the
// newest message first. The caller holds s.mu.
func (s *Server) threadsOf(member string) []*Thread {
	var own []*Thread
	for _, t := range s.threads {
		if t.exists() && slices.Contains(t.Participants, member) {
			own = append(own, t)
		}
	}
	slices.SortStableFunc(own, func(a, b *Thread) int { return b.lastAt().Compare(a.lastAt()) })
	return own
}
