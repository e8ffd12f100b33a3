package standin_test

import (
	"net/http"
	"strings"
	"testing"

	"sendonce/e2e/standin"
)

// Goal: a page whose data is held does not say who is signed in until it is released, and says that it waits.
func TestHeldDataArrivesLater(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	gate, id := standin.NewGate(), idOf(t, s, ben.Slug)
	path := "/standin/hold/" + id + "/" + standin.HeldData
	body := page(t, v, ben.Slug, standin.Variant{HoldData: gate}, "/messaging/compose/?recipient="+id)
	if strings.Contains(body, "*miniProfile") || !strings.Contains(body, `data-held="`+path+`"`) {
		t.Error("the held page says who is signed in, or does not ask")
	}
	gate.Release()
	if _, body := v.get(path, http.StatusOK); !strings.Contains(body, "*miniProfile") {
		t.Errorf("the released data is %s", body)
	}
	if got := s.State().Reached(id, standin.HeldData); got != 1 {
		t.Errorf("the page waited %d times, want once", got)
	}
}

// Goal: a page that is held back is in the access log before it is released.
func TestHeldPagesAreLogged(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	gate := standin.NewGate()
	s.HoldPages("/in/", gate)
	v.get("/feed/", http.StatusOK)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		v.get(ben.Path(), http.StatusOK)
	}()
	id := idOf(t, s, ben.Slug)
	if err := s.Wait(t.Context(), func(state standin.State) bool { return state.Visited(id) }); err != nil {
		t.Fatal(err)
	}
	select {
	case <-answered:
		t.Error("a held page was answered")
	default:
	}
	gate.Release()
	<-answered
}
