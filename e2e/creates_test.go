package e2e_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sendonce/e2e/harness"
)

const (
	writers         = 20
	createsByWriter = 25
	// killEvery is how many answers are let through between two kills.
	killEvery = 100
	// createWithin bounds one request, with a server that just died in mind.
	createWithin = 15 * time.Second
)

// Goal: twenty programs make five hundred messages under keys while the server is killed again and again. Each asks until it is
// answered: in the end there are five hundred messages, and every key's answer is, byte for byte, the one it was first given.
func TestKilledServerMakesEachMessageOnce(t *testing.T) {
	r := newRig(t, 0, nil)
	w := &crowd{rig: r, answered: make(chan struct{}, writers*createsByWriter), first: map[string]string{}}
	w.moveTo(r.server.URL())
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			for n := range createsByWriter {
				w.create(fmt.Sprintf("writer-%d-%d", writer, n))
			}
		})
	}
	for range writers*createsByWriter/killEvery - 1 {
		w.await(killEvery)
		r.server.Kill()
		r.must(r.server.Restart(r.ctx))
		w.moveTo(r.server.URL())
	}
	all.Wait()
	if w.brokenOff == 0 {
		t.Error("no kill met a request: it says nothing")
	}
	w.repeatAll()
	made, err := r.database.Count(r.ctx, harness.Messages)
	r.must(err)
	people, err := r.database.Count(r.ctx, harness.People)
	r.must(err)
	if want := writers * createsByWriter; made != want || people != want {
		t.Errorf("%d messages to %d people, want %d of each", made, people, want)
	}
	t.Logf("%d requests broke off, %d were answered by the repetition of one that had been done", w.brokenOff, w.foundDone)
}

// crowd is what many programs share: where the server is, and what each key was first answered.
type crowd struct {
	*rig
	answered chan struct{}

	mu                   sync.Mutex
	url                  string
	moved                chan struct{} // closed when the server is elsewhere
	first                map[string]string
	brokenOff, foundDone int
}

func (w *crowd) moveTo(url string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.moved != nil {
		close(w.moved)
	}
	w.url, w.moved = url, make(chan struct{})
}

func (w *crowd) place() (url string, moved <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.url, w.moved
}

// await waits for so many answers.
func (w *crowd) await(count int) {
	w.Helper()
	for range count {
		select {
		case <-w.answered:
		case <-w.ctx.Done():
			w.Fatal("the programs get no answers")
		}
	}
}

// create asks until it is answered. A connection that breaks is a server that died: it is asked again where it stands then.
func (w *crowd) create(slug string) {
	for w.ctx.Err() == nil {
		url, moved := w.place()
		created, err := w.ask(url, slug)
		switch {
		case err != nil:
			w.mu.Lock()
			w.brokenOff++
			w.mu.Unlock()
			select {
			case <-moved:
			case <-w.ctx.Done():
			}
		case created.status == http.StatusCreated:
			w.mu.Lock()
			w.first[slug] = created.body
			if created.replayed {
				w.foundDone++
			}
			w.mu.Unlock()
			w.answered <- struct{}{}
			return
		case created.status != http.StatusConflict && created.status < http.StatusInternalServerError:
			w.Errorf("%s: %d %s", slug, created.status, created.body)
			return
		}
	}
}

// repeatAll asks for everything once more.
func (w *crowd) repeatAll() {
	w.Helper()
	url, _ := w.place()
	for slug, first := range w.first {
		created, err := w.ask(url, slug)
		w.must(err)
		if created.status != http.StatusCreated || !created.replayed || created.body != first {
			w.Errorf("%s again: %d, replayed %t\n%s\nwant %s", slug, created.status, created.replayed, created.body, first)
		}
	}
}

type created struct {
	status   int
	replayed bool
	body     string
}

// ask makes one request under the key of its person.
func (w *crowd) ask(url, slug string) (created, error) {
	ctx, cancel := context.WithTimeout(w.ctx, createWithin)
	defer cancel()
	body := fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"%s/in/%s"},"body":"Hello %s","purpose":"first contact"}`,
		w.account, harness.LinkedIn, slug, slug)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/messages", strings.NewReader(body))
	if err != nil {
		return created{}, err
	}
	request.Header.Set("Authorization", "Bearer "+w.api.Token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", slug)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return created{}, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return created{response.StatusCode, response.Header.Get("Idempotency-Replayed") == "true", string(raw)}, err
}
