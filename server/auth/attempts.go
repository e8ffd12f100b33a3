package auth

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"sendonce/server/config"
)

// Attempts bounds how often something that can be guessed may be tried from one place. It lives in memory: a restart
// forgets it, which gives a guesser nothing that counts.
type Attempts struct {
	perMinute int
	mu        sync.Mutex
	places    map[string]*rate.Limiter
}

// NewAttempts allows perMinute tries at once, and as many again over each minute.
func NewAttempts(perMinute int) *Attempts {
	return &Attempts{perMinute: perMinute, places: map[string]*rate.Limiter{}}
}

// Try counts one try from place (a remote address) at that time and says whether it may go on. A try that was right is no
// guess: forgive takes it back, so that a whole office may pair its browsers from one address.
func (a *Attempts) Try(place string, at time.Time) (forgive func(), ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	limiter, known := a.places[place]
	if !known {
		if len(a.places) >= config.AttemptPlacesMax {
			a.forgetIdle(at)
		}
		// As many places at once are an attack: nobody gets a try until some of them have been idle.
		if len(a.places) >= config.AttemptPlacesMax {
			return nil, false
		}
		limiter = rate.NewLimiter(rate.Every(time.Minute/time.Duration(a.perMinute)), a.perMinute)
		a.places[place] = limiter
	}
	try := limiter.ReserveN(at, 1)
	if !try.OK() || try.DelayFrom(at) > 0 {
		try.CancelAt(at)
		return nil, false
	}
	return func() { try.CancelAt(at) }, true
}

// forgetIdle drops the places that have all their tries back.
func (a *Attempts) forgetIdle(at time.Time) {
	for place, limiter := range a.places {
		if limiter.TokensAt(at) >= float64(a.perMinute) {
			delete(a.places, place)
		}
	}
}
