package sim

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// request is one delivery request of a page.
type request struct {
	w      *World
	b      *browser
	member *member // who was signed in
	doc    *document
	id     string
	text   string
	token  string
	press  int
	typed  bool // our page script had typed the text, and a hand pressed Send
	plan   plan
	answer bool  // it was answered, or has failed
	again  *plan // of the browser's own repetition
}

// plan is what becomes of a request.
type plan struct {
	leaves   time.Duration // until it reaches LinkedIn; -1: never
	accepted bool
	repeated bool // its connection dies once it was accepted, and the browser posts it again by itself
	status   int  // 0: no answer comes
	redirect string
	answers  time.Duration // after it arrived
}

// refusals and failures are what LinkedIn answers when it does not answer 200.
var (
	refusals = []int{400, 401, 403, 422, 429, 451, 999}
	failures = []int{408, 500, 503}
)

// usual is a request that nothing happens to.
func (w *World) usual() plan {
	return plan{leaves: w.network(), accepted: true, status: 200, answers: w.network()}
}

func (w *World) plan() plan {
	p := w.usual()
	if !w.faults || !w.chance(w.mood.providerFaults) {
		return p
	}
	switch w.rng.IntN(9) {
	case 0:
		p.accepted, p.status = false, refusals[w.rng.IntN(len(refusals))]
	case 1: // refused by word, taken all the same
		p.status = refusals[w.rng.IntN(len(refusals))]
	case 2:
		p.accepted, p.status = w.chance(0.5), failures[w.rng.IntN(len(failures))]
	case 3:
		p.accepted, p.status = w.chance(0.5), 0
	case 4:
		p.leaves = w.between(30*time.Second, requestLateMax)
	case 5:
		p.repeated = true
	case 6:
		p.accepted, p.redirect = w.chance(0.5), origin+[]string{"/checkpoint/challenge/1", "/feed/"}[w.rng.IntN(2)]
	case 7:
		p.accepted = false // it answers 200 and has taken nothing
	case 8:
		p.leaves = -1
	}
	return p
}

// clicked is Send pressed on a page.
func (s *site) clicked(d *document, text string, byScript bool) {
	w := s.w
	click := 0
	if byScript {
		s.clicks++
		click = s.clicks
		s.pressed = append(s.pressed, press{click, text, d.member, d.person, time.Now()})
		w.pressed(s.pressed[len(s.pressed)-1])
	}
	w.tell("%s: Send is pressed, click %d of ours", d.tab.b.name, click)
	posts := 1
	if w.faults && w.chance(doublePostShare) {
		posts = 2
		w.note("the page posted twice")
	}
	for range posts {
		s.post(d, text, click)
	}
}

func (s *site) post(d *document, text string, click int) {
	w := s.w
	w.requests++
	r := &request{
		w: w, b: d.tab.b, member: d.member, doc: d, id: strconv.Itoa(w.requests), text: text, press: click, typed: click == 0 && d.acts,
		token: fmt.Sprintf("token-%d", w.requests), plan: w.plan(),
	}
	if r.plan.repeated {
		again := w.usual()
		again.accepted = w.chance(0.7)
		if w.chance(0.5) {
			again.status = refusals[w.rng.IntN(len(refusals))]
		}
		r.again = &again
	}
	message := map[string]any{"body": map[string]string{"text": text}, "originToken": r.token}
	body := map[string]any{"message": message}
	if d.thread != nil {
		message["conversationUrn"] = "urn:li:msg_conversation:(" + d.member.urn() + "," + d.thread.id + ")"
	} else {
		body["hostRecipientUrns"] = []string{d.person.urn()}
	}
	r.tells("before", map[string]any{"method": "POST"}, asJSON(body))
	if r.plan.leaves < 0 {
		r.fails(w.between(time.Second, time.Minute))
		return
	}
	if w.faults && w.chance(sleepsOnItShare) {
		d.tab.b.sleep(w.between(sleepsOnItMin, sleepsOnItMax))
		w.later(w.between(givenUpMin, sleepsOnItMin), "people", "give up on a machine that sleeps", func() { w.people.giveUp(text) }).free = true
	}
	// A request leaves only while its machine is awake.
	d.tab.b.later(r.plan.leaves, "LinkedIn", "request "+r.id+" arrives", r.arrives).free = true
}

// tells has Chrome tell the worker of the request, in the order of what happens to it.
func (r *request) tells(what string, details map[string]any, body string) {
	details["requestId"], details["tabId"] = r.id, r.doc.tab.id
	b := r.b
	b.later(r.w.between(0, 20*time.Millisecond), b.name+" request "+r.id, "Chrome says "+what, func() {
		if b.wake(); b.worker != nil {
			b.worker.call("request", what, asJSON(details), body)
		}
	})
}

func (r *request) fails(after time.Duration) {
	r.w.later(after, "LinkedIn", "request "+r.id+" fails", func() {
		if !r.answer {
			r.answer = true
			r.tells("failed", map[string]any{}, "")
		}
	}).free = true
}

// arrives is the request at LinkedIn, which takes what it is sent as often as it is sent.
func (r *request) arrives() {
	w := r.w
	if r.plan.accepted {
		r.taken()
	}
	if r.again != nil {
		r.plan, r.again = *r.again, nil
		w.note("the browser repeated a request")
		w.later(w.network(), "LinkedIn", "request "+r.id+" arrives again", r.arrives).free = true
		return
	}
	if r.plan.status == 0 {
		r.fails(w.between(time.Minute, 5*time.Minute))
		return
	}
	w.later(r.plan.answers, "LinkedIn", fmt.Sprintf("request %s is answered %d %s", r.id, r.plan.status, r.plan.redirect), r.answered).free = true
}

func (r *request) taken() {
	c := &copied{own: true, text: r.text, press: r.press, typed: r.typed}
	t := r.w.site.accept(r.member, r.doc.person, c, !r.endsRefused())
	r.w.took(r, c)
	if !r.doc.unloaded && r.doc.thread == nil && r.plan.status == 200 {
		r.doc.open(t)
	}
}

// endsRefused: a refusal's copy, if LinkedIn took one, is shown at once. What says "no" and shows the message minutes later
// cannot be told from a true no by any look.
func (r *request) endsRefused() bool {
	last := r.plan
	if r.again != nil {
		last = *r.again
	}
	return slices.Contains(refusals, last.status)
}

func (r *request) answered() {
	if r.answer {
		return
	}
	r.answer = true
	if r.plan.redirect != "" {
		r.tells("redirect", map[string]any{"redirectUrl": r.plan.redirect}, "")
		return
	}
	headers := []any{}
	if r.plan.status == 429 {
		headers = append(headers, map[string]string{"name": "Retry-After", "value": "120"})
	}
	r.tells("completed", map[string]any{"statusCode": r.plan.status, "responseHeaders": headers}, "")
}
