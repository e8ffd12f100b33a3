package standin

import (
	"net/http"
	"slices"
	"strings"
)

// pane is one conversation with its composer: on a thread page, a compose
// page, or in a bubble.
type pane struct {
	Words  locale
	Member Person
	// FormID makes ids on one page unique, as Ember's counters do.
	FormID int
	// People are the other participants. One is a header link; several are a
	// group. A pane for a first message shows them as chips.
	People     []Person
	First      bool
	Items      []item
	Draft      []string
	NoSend     bool
	InMail     bool
	NoComposer bool
	// Facts is what the page's script needs to know, as JSON.
	Facts string
	// To is whom the pane writes to: profile ids, joined by commas.
	To                 string
	Rewrite, RewriteAt string
	KeepsSpaces        bool
	// Swap is whom the pane turns to once something is typed, or nil.
	Swap *Person
	// Open says that a bubble is not minimised.
	Open bool
	// Longer says that the conversation has older messages than Items.
	Longer bool
}

// item is one message as the list shows it.
type item struct {
	Words  locale
	URN    string
	Sender Person
	Other  bool
	// Header is shown where the sender changes.
	Header bool
	Lines  []string
	Time   string
	// SeenBy are those who have seen the conversation up to here.
	SeenBy []Person
}

// facts are read by page/messaging.js.
type facts struct {
	Owner           string `json:"owner"`
	ConversationURN string `json:"conversationUrn"`
	Recipient       string `json:"recipient"`
	InMail          bool   `json:"inMail"`
	ReplaceNode     bool   `json:"replaceNode"`
	AnimationFrames bool   `json:"animationFrames"`
	PostsTwice      bool   `json:"postsTwice"`
	PostsItself     bool   `json:"postsItself"`
	KeepsTyped      bool   `json:"keepsTyped"`
	PostsAnother    bool   `json:"postsAnother"`
	KeepsDraft      bool   `json:"keepsDraft"`
	HoldSend        string `json:"holdSend"`
}

// row is one conversation of the sidebar.
type row struct {
	Names, Snippet string
}

// messagingView is the main part of a messaging page.
type messagingView struct {
	Rows []row
	// Pane is nil on the bare inbox; Second is a further one below it, or nil.
	Pane, Second *pane
}

const (
	threadForm  = 12
	composeForm = 34
	remountForm = 56
	bubbleForm  = 78
	secondForm  = 90
)

// threadPane builds the pane of a thread. The caller holds s.mu.
func (s *Server) threadPane(member Person, t *Thread, form int) *pane {
	people := []Person{}
	for _, id := range t.others(member.ID) {
		p, _ := s.person(id) // participants are known people
		people = append(people, p)
	}
	v := s.variant(people[0].ID)
	if v.HeaderShowsOne {
		people = people[:1]
	}
	p := newPane(member, people, v, form)
	p.To = t.recipient(member.ID)
	p.Facts = jsonText(facts{
		Owner: member.ID, ConversationURN: conversationURN(member.ID, t.ID),
		ReplaceNode: v.ReplaceNode, AnimationFrames: v.AnimationFrames, PostsTwice: v.PostsTwice,
		PostsItself: v.PostsItself, KeepsTyped: v.KeepsTyped, PostsAnother: v.PostsAnother,
		KeepsDraft: v.KeepsDraft, HoldSend: holdPath(t.recipient(member.ID), HeldSend, v.HoldSend),
	})
	shown := t.visible()
	// The page's script reads the older ones when the list is scrolled to its top.
	p.Longer = len(shown) > historyPage
	sender := ""
	for _, m := range shown[max(0, len(shown)-historyPage):] {
		from, _ := s.person(m.From)
		p.Items = append(p.Items, item{
			Words: p.Words, URN: messageURN(member.ID, m.ID), Sender: from, Other: m.From != member.ID,
			Header: m.From != sender, Lines: strings.Split(m.Text, "\n"), Time: m.At.Format("15:04"), SeenBy: s.seenBy(t, m.ID),
		})
		sender = m.From
	}
	return p
}

// firstPane builds the pane for a first message to someone. The caller holds
// s.mu.
func (s *Server) firstPane(member, person Person, form int) *pane {
	v := s.variant(person.ID)
	p := newPane(member, []Person{person}, v, form)
	p.First, p.To = true, person.ID
	p.InMail = !person.Connected && v.PaidInMail
	p.NoComposer = !person.Connected && !v.PaidInMail
	p.Facts = jsonText(facts{
		Owner: member.ID, Recipient: person.ID, InMail: p.InMail,
		ReplaceNode: v.ReplaceNode, AnimationFrames: v.AnimationFrames, PostsTwice: v.PostsTwice,
		PostsItself: v.PostsItself, KeepsTyped: v.KeepsTyped, PostsAnother: v.PostsAnother,
		KeepsDraft: v.KeepsDraft, HoldSend: holdPath(person.ID, HeldSend, v.HoldSend),
	})
	return p
}

func newPane(member Person, people []Person, v Variant, form int) *pane {
	words, _ := localeOf(v.Locale) // checked by SetVariant
	p := &pane{
		Words: words, Member: member, FormID: form, People: people, NoSend: v.EnterToSend,
		Rewrite: v.Rewrite, RewriteAt: v.RewriteAt, KeepsSpaces: v.KeepsSpaces,
	}
	if v.Draft != "" {
		p.Draft = strings.Split(v.Draft, "\n")
	}
	return p
}

// OwnItem is the empty item that the page's script fills for a new message.
func (p *pane) OwnItem() item {
	return item{Words: p.Words, Sender: p.Member, Header: true, Lines: []string{""}}
}

// OtherItem is the empty item that the page's script fills for an older message of someone else.
func (p *pane) OtherItem() item {
	return item{Words: p.Words, Sender: p.People[0], Other: true, Header: true, Lines: []string{""}}
}

// Names are the other participants' names, as a title bar shows them.
func (p *pane) Names() string {
	names := []string{}
	for _, person := range p.People {
		names = append(names, person.Name)
	}
	return strings.Join(names, ", ")
}

// bubble builds the bubble of someone else that a variant leaves on the page.
// The caller holds s.mu.
func (s *Server) bubble(member Person, v Variant) *pane {
	person, _ := s.person(v.StaleBubbleOf) // checked by SetVariant
	p := s.firstPane(member, person, bubbleForm)
	if t := s.threadWith(member.ID, person.ID); t != nil && t.exists() {
		p = s.threadPane(member, t, bubbleForm)
	}
	p.Draft, p.Open = strings.Split(v.StaleDraft, "\n"), v.StaleOpen
	return p
}

// rows lists the member's conversations. The caller holds s.mu.
func (s *Server) rows(member Person) []row {
	var rows []row
	for _, t := range s.threadsOf(member.ID) {
		if len(rows) == conversationPage {
			break
		}
		p := s.threadPane(member, t, threadForm)
		r := row{Names: p.Names()}
		if n := len(p.Items); n > 0 {
			r.Snippet = p.Items[n-1].Lines[0]
		}
		rows = append(rows, r)
	}
	return rows
}

func (s *Server) inboxPage(w http.ResponseWriter, _ *http.Request, member Person) {
	s.mu.Lock()
	page := s.newShell(member, "", "Messaging | LinkedIn")
	page.Main = messagingView{Rows: s.rows(member)}
	s.mu.Unlock()
	render(w, "messaging", page)
}

// ownThread returns the member's thread of that id when pages show it. The
// caller holds s.mu.
func (s *Server) ownThread(member Person, id string) *Thread {
	t := s.thread(id)
	if t == nil || !t.exists() || !slices.Contains(t.Participants, member.ID) {
		return nil
	}
	return t
}

func (s *Server) threadPage(w http.ResponseWriter, r *http.Request, member Person) {
	s.mu.Lock()
	t := s.ownThread(member, r.PathValue("thread"))
	if t == nil {
		s.mu.Unlock()
		http.Redirect(w, r, "/messaging/", http.StatusFound)
		return
	}
	p := s.threadPane(member, t, threadForm)
	name, page := s.conversationPage(member, t.others(member.ID)[0], p)
	s.mu.Unlock()
	render(w, name, page)
}

// conversationPage builds the page that shows a pane, in the way that the
// person's variant has, and names its template. The caller holds s.mu.
func (s *Server) conversationPage(member Person, person string, p *pane) (string, shell) {
	page, v := s.newMessagingShell(member, person), s.variant(person)
	if other, err := s.person(v.SwapsTo); err == nil {
		p.Swap = &other
	}
	if v.InBubble {
		p.Open = true
		page.Bubble = p
		return "overlay", page
	}
	view := messagingView{Rows: s.rows(member), Pane: p}
	if v.TwoPanes {
		second := *p
		second.FormID = secondForm
		view.Second = &second
	}
	page.Main = view
	return "messaging", page
}

// panePart serves the pane alone, for the page that changes its route after a
// first message.
func (s *Server) panePart(w http.ResponseWriter, r *http.Request, member Person) {
	s.mu.Lock()
	t := s.thread(r.PathValue("thread"))
	if t == nil || !slices.Contains(t.Participants, member.ID) {
		s.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	p := s.threadPane(member, t, remountForm)
	s.mu.Unlock()
	render(w, "pane", p)
}

// composePage serves the target of a Message control. When a conversation
// exists it leads there and drops the query, as the real one does.
func (s *Server) composePage(w http.ResponseWriter, r *http.Request, member Person) {
	id := r.URL.Query().Get("recipient")
	if fromURN, ok := idInProfileURN(r.URL.Query().Get("profileUrn")); ok {
		id = fromURN
	}
	s.mu.Lock()
	person, err := s.person(id)
	if err != nil || person.ID == member.ID {
		s.mu.Unlock()
		http.Redirect(w, r, "/messaging/", http.StatusFound)
		return
	}
	t := s.threadWith(member.ID, person.ID)
	if other := s.thread(s.variant(person.ID).LeadsTo); other != nil {
		t = other
	}
	if t != nil && t.exists() {
		s.mu.Unlock()
		http.Redirect(w, r, "/messaging/thread/"+t.ID+"/", http.StatusFound)
		return
	}
	name, page := s.conversationPage(member, person.ID, s.firstPane(member, person, composeForm))
	s.mu.Unlock()
	render(w, name, page)
}

// preloadPage serves the hidden copy: a composer that takes text, without the
// script that would send it.
func (s *Server) preloadPage(w http.ResponseWriter, _ *http.Request, member Person) {
	s.mu.Lock()
	p := s.firstPane(member, Person{Name: "…", Connected: true}, composeForm)
	s.mu.Unlock()
	render(w, "preload", p)
}
