package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// browser is one recruiter's browser with the extension installed: what outlives the worker, and what does not.
type browser struct {
	w      *World
	name   string
	member *member // who is signed in to LinkedIn

	running     bool
	began       time.Time
	sleeps      [][2]time.Time // from and until
	sleptFrom   time.Time
	asleepUntil time.Time
	wallAhead   time.Duration
	signedOut   time.Time // until then LinkedIn asks to sign in

	storage map[string]string
	written []write // since the disk was last surely written
	worker  *worker
	workers int // lives so far
	tabs    map[int]*tab
	tabsYet int
	ports   int
	links   []*link
}

// write is what a key held before it was written.
type write struct {
	key, before string
	was         bool
}

const feedTab = 1 // the recruiter's own tab on LinkedIn

func (w *World) newBrowser(name string, member *member) *browser {
	b := &browser{w: w, name: name, member: member, storage: map[string]string{}}
	w.browsers = append(w.browsers, b)
	return b
}

// start begins a life of the browser, with the profile as it is.
func (b *browser) start() {
	b.running, b.began = true, time.Now()
	b.tabs = map[int]*tab{feedTab: {b: b, id: feedTab}}
	b.tabsYet = max(b.tabsYet, feedTab)
	b.wake()
	b.ring()
}

// ring is the alarm that starts a dead worker again.
func (b *browser) ring() {
	e := b.later(alarmEvery, b.name+" alarm", "rings", func() {
		b.toWorker("alarm", map[string]string{"name": "wake"})
		b.ring()
	})
	e.quiet = true
}

// kill ends the browser at once; what its disk was not told is lost when the power fails too.
func (b *browser) kill(power bool) {
	if !b.running {
		return
	}
	b.w.tell("%s is killed, power lost %v", b.name, power)
	b.endWorker()
	for _, id := range slices.Sorted(maps.Keys(b.tabs)) {
		b.tabs[id].leave()
	}
	b.running, b.tabs = false, nil
	b.w.drop(func(e *event) bool { return e.browser == b })
	if power {
		for range min(len(b.written), b.w.rng.IntN(lostWritesMax+1)) {
			last := b.written[len(b.written)-1]
			b.written = b.written[:len(b.written)-1]
			if delete(b.storage, last.key); last.was {
				b.storage[last.key] = last.before
			}
			b.w.note("a write lost with the power")
		}
	}
	b.written = nil
	b.w.later(b.w.between(time.Second, 2*time.Minute), b.name, "the browser is started", b.start)
}

// later has something happen in this browser: not while the machine sleeps, and not after the browser has ended.
func (b *browser) later(after time.Duration, queue, what string, do func()) *event {
	e := b.w.later(after, queue, what, do)
	e.browser = b
	return e
}

// sleep suspends the machine: its timers stand still, and one of its two clocks does.
func (b *browser) sleep(d time.Duration) {
	if b.isAsleep() {
		return
	}
	b.w.tell("%s sleeps %s", b.name, d)
	b.sleptFrom, b.asleepUntil = time.Now(), time.Now().Add(d)
}

// sleepsOnARequest says whether the machine sleeps with a request that has not left it.
func (b *browser) sleepsOnARequest() bool {
	return b.isAsleep() && slices.ContainsFunc(b.w.pending, func(e *event) bool { return e.browser == b && e.queue == "LinkedIn" })
}

// mono is the monotonic clock, in ms, of something in the browser that began then.
func (b *browser) mono(began time.Time) float64 {
	return float64(time.Since(began)-b.sleptSince(began)) / float64(time.Millisecond)
}

func (b *browser) isAsleep() bool { return time.Now().Before(b.asleepUntil) }

// wakeUp ends the machine's sleep.
func (b *browser) wakeUp() {
	if !b.asleepUntil.IsZero() {
		end := time.Now()
		if b.asleepUntil.Before(end) {
			end = b.asleepUntil
		}
		b.sleeps = append(b.sleeps, [2]time.Time{b.sleptFrom, end})
		b.asleepUntil = time.Time{}
	}
}

// sleptSince is how much of the time since then the machine slept: its monotonic clocks stood still.
func (b *browser) sleptSince(then time.Time) (slept time.Duration) {
	if !b.isAsleep() {
		b.wakeUp()
	}
	for _, one := range b.sleeps {
		if one[0].After(then) {
			slept += one[1].Sub(one[0])
		}
	}
	if b.isAsleep() {
		slept += time.Since(b.sleptFrom)
	}
	return slept
}

func (b *browser) wall() time.Time { return time.Now().Add(b.wallAhead) }

// toWorker fires an event of Chrome's that starts the worker when it is dead.
func (b *browser) toWorker(name string, args ...any) {
	if b.wake(); b.worker == nil {
		return
	}
	raw, err := json.Marshal(args)
	b.w.must(err)
	b.worker.call("fire", name, string(raw))
}

// install is the id under which the browser is paired, or "".
func (b *browser) install() string {
	var pairing struct{ Install string }
	if raw, there := b.storage["pairing"]; there {
		b.w.must(json.Unmarshal([]byte(raw), &pairing))
	}
	return pairing.Install
}

// command is one of the popup's or the options'.
func (b *browser) command(fields map[string]string) {
	if b.wake(); b.worker != nil {
		b.worker.call("command", asJSON(fields), 0)
	}
}

// wake starts the worker if it is dead.
func (b *browser) wake() {
	if b.running && b.worker == nil {
		b.workers++
		b.startWorker()
	}
}

// endWorker is the worker's death: its timers and sockets go with it, and its pages learn of it.
func (b *browser) endWorker() {
	k := b.worker
	if k == nil {
		return
	}
	b.worker = nil
	k.dead = true
	b.w.tell("%s: the worker dies", b.name)
	b.w.drop(func(e *event) bool { return e.worker == k })
	for _, l := range slices.Clone(b.links) {
		l.drop(false)
	}
	for _, id := range slices.Sorted(maps.Keys(b.tabs)) {
		if doc := b.tabs[id].doc; doc != nil {
			doc.workerGone()
		}
	}
}

// hear takes what servers have said, and has it arrive after a while.
func (b *browser) hear() {
	for _, l := range slices.Clone(b.links) {
		frames, closed := l.take()
		for _, raw := range b.w.inOrder(frames) {
			b.w.spoken(b, raw)
			b.onItsWay(l, raw)
		}
		if closed != nil && !l.cut {
			b.w.later(b.w.network(), l.queueDown(), fmt.Sprintf("closed with %d", closed.Code), func() {
				l.drop(false)
				b.socketClosed(l, closed.Code, closed.Text)
			}).browser = b
		}
	}
}

// onItsWay is one frame between the server and the worker.
func (b *browser) onItsWay(l *link, raw []byte) {
	if l.mute || l.cut {
		return
	}
	kind := frameType(raw)
	if code, is := strings.CutPrefix(kind, "refused "); is {
		b.w.note(startNo + code)
	} else if code, is := strings.CutPrefix(kind, "halt "); is {
		b.w.note("a person was halted: " + code)
	}
	e := b.later(b.w.network(), l.queueDown(), "frame "+kind, func() { b.socketSays(l, raw) })
	e.quiet = kind == "pong"
	if b.w.faults && b.w.chance(repeatShare) {
		b.later(b.w.between(0, time.Minute), l.queueDown()+" again", "frame "+kind+" once more", func() { b.socketSays(l, raw) })
	}
}

func (b *browser) socketSays(l *link, raw []byte) {
	if b.worker != nil && !l.cut && l.worker == b.worker {
		b.worker.call("socketMessage", l.id, string(raw))
	}
}

func (b *browser) socketClosed(l *link, code int, reason string) {
	if b.worker != nil && l.worker == b.worker && !l.closedHere {
		b.worker.call("socketClosed", l.id, code, reason)
	}
}

// serverDied is what the browser's connections notice of it.
func (b *browser) serverDied(s *server) {
	for _, l := range slices.Clone(b.links) {
		if l.server == s {
			l.drop(true)
		}
	}
}

// connect opens a socket of the worker to one of the servers.
func (b *browser) connect(k *worker, id int) {
	l := &link{browser: b, worker: k, id: id, server: b.w.aliveServer()}
	b.later(b.w.network(), b.name+" connects", "connects", func() {
		switch {
		case k.dead || l.closedHere:
		case l.server == nil || !l.open():
			l.cut = true
			b.socketClosed(l, websocket.CloseAbnormalClosure, "")
		default:
			b.links = append(b.links, l)
			k.call("socketOpen", id)
		}
	}).worker = k
	k.sockets[id] = l
}

// set writes to the profile's storage; null removes a key.
func (b *browser) set(values map[string]json.RawMessage) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		before, was := b.storage[key]
		b.written = append(b.written, write{key, before, was})
		if string(values[key]) == "null" {
			delete(b.storage, key)
		} else {
			b.storage[key] = string(values[key])
		}
	}
	if len(b.written) > lostWritesMax {
		b.written = slices.Clone(b.written[len(b.written)-lostWritesMax:])
	}
}

// inOrder puts what a server said at one time into an order that chance does not decide: answers come in theirs, and what
// other goroutines of the server said beside them comes before or after.
func (w *World) inOrder(frames [][]byte) [][]byte {
	if len(frames) < 2 {
		return frames
	}
	isAnswer := func(raw []byte) bool { return bytes.Contains(raw, []byte(`"re":"`)) }
	var answers, words [][]byte
	for _, raw := range frames {
		if isAnswer(raw) {
			answers = append(answers, raw)
		} else {
			words = append(words, raw)
		}
	}
	slices.SortStableFunc(words, func(a, b []byte) int { return strings.Compare(frameType(a), frameType(b)) })
	if len(answers) > 0 && frameType(answers[0]) != "welcome" && w.chance(0.5) {
		return append(words, answers...)
	}
	return append(answers, words...)
}

func frameType(raw []byte) string {
	var f struct {
		Type string `json:"type"`
		Code string `json:"code"`
	}
	if json.Unmarshal(raw, &f) != nil {
		return "?"
	}
	if f.Code != "" && f.Type != "pair" {
		return f.Type + " " + f.Code
	}
	return f.Type
}
