package send

import (
	"time"

	"sendonce/server/config"
	"sendonce/server/rule"
)

// requeueIn is how long to wait after a rate limit: what the provider asked for, and never less than a backoff that doubles
// with each time in a row that a machine tried again. jitter, from 0 to 1, adds a part of it, so that what was limited
// together does not come back together.
func requeueIn(retryAfter time.Duration, requeues int, jitter float64) time.Duration {
	wait := retryAfter
	if requeues > 0 || retryAfter <= 0 {
		backoff := config.RateLimitBackoffMin
		for range requeues {
			backoff = min(backoff*2, config.RateLimitBackoffMax)
		}
		wait = max(retryAfter, backoff)
	}
	return wait + min(time.Duration(jitter*config.RateLimitJitterPart*float64(wait)), config.RateLimitJitterMax)
}

// mayRequeue reports whether a machine may make the next send once more. After that a person decides.
func mayRequeue(requeues int) bool { return requeues < config.RateLimitRequeuesMax }

// Breaker is when a burst of troubles trips an account's breaker: it then sends nothing until a person has cleared it.
type Breaker struct {
	// After is how many troubles trip it, Within is the time in which they must come.
	After  int
	Within time.Duration
}

// Trips reports whether these troubles of one account do. Those that a person has cleared are not among them.
func (b Breaker) Trips(troubles []time.Time, now time.Time) bool {
	recent := 0
	for _, at := range troubles {
		if now.Sub(at) < b.Within {
			recent++
		}
	}
	return recent >= b.After
}

// troubleOf is the code of what a breaker counts, or "": the provider's own errors and rate limits by the answer's number
// alone, and an answer that looked good while nothing was delivered.
func troubleOf(answer rule.Answer, outcome rule.Outcome) string {
	byAnswer := rule.Classify(rule.Acted{Answer: answer, Look: rule.LookAbsent}).Code
	switch {
	case byAnswer == rule.CodeServerError || rule.Requeued(byAnswer):
		return byAnswer
	case outcome.Code == rule.CodeNoEvidence:
		return outcome.Code
	}
	return ""
}
