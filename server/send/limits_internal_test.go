package send

import (
	"testing"
	"time"

	"sendonce/server/config"
	"sendonce/server/rule"
)

func TestTheWaitAfterARateLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked    time.Duration
		requeues int
		jitter   float64
		want     time.Duration
	}{
		"as asked, once":                {10 * time.Second, 0, 0, 10 * time.Second},
		"nothing was asked":             {0, 0, 0, config.RateLimitBackoffMin},
		"doubles":                       {time.Second, 1, 0, 2 * config.RateLimitBackoffMin},
		"doubles again":                 {time.Second, 2, 0, 4 * config.RateLimitBackoffMin},
		"is bounded":                    {time.Second, 40, 0, config.RateLimitBackoffMax},
		"never shorter than asked":      {12 * time.Hour, 2, 0, 12 * time.Hour},
		"jitter adds a part":            {10 * time.Second, 0, 1, 12 * time.Second},
		"jitter adds only some":         {10 * time.Second, 0, 0.5, 11 * time.Second},
		"jitter of a long wait ends":    {12 * time.Hour, 0, 1, 12*time.Hour + config.RateLimitJitterMax},
		"jitter of the growing backoff": {0, 1, 1, 144 * time.Second},
	} {
		if got := requeueIn(c.asked, c.requeues, c.jitter); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestABreakerCountsWhatIsRecent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	ago := func(minutes ...int) []time.Time {
		var at []time.Time
		for _, m := range minutes {
			at = append(at, now.Add(-time.Duration(m)*time.Minute))
		}
		return at
	}
	b := Breaker{After: 3, Within: time.Hour}
	for name, c := range map[string]struct {
		troubles []time.Time
		want     bool
	}{
		"none": {nil, false}, "two": {ago(0, 1), false}, "three": {ago(0, 1, 59), true}, "one too old": {ago(0, 1, 60), false},
	} {
		if got := b.Trips(c.troubles, now); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

func TestWhatABreakerCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer rule.Answer
		look   rule.Look
		want   string
	}{
		{rule.Answer{Kind: rule.AnswerStatus, Status: 500}, rule.LookAbsent, rule.CodeServerError},
		{rule.Answer{Kind: rule.AnswerStatus, Status: 503}, rule.LookFound, rule.CodeServerError}, // by the number alone
		{rule.Answer{Kind: rule.AnswerStatus, Status: 429}, rule.LookAbsent, "rate_limited"},
		{rule.Answer{Kind: rule.AnswerStatus, Status: 429}, rule.LookImpossible, "rate_limited"},
		{rule.Answer{Kind: rule.AnswerStatus, Status: 200}, rule.LookAbsent, rule.CodeNoEvidence},
		{rule.Answer{Kind: rule.AnswerStatus, Status: 200}, rule.LookFound, ""},
		{rule.Answer{Kind: rule.AnswerStatus, Status: 400}, rule.LookAbsent, ""},
		{rule.Answer{Kind: rule.AnswerNone}, rule.LookAbsent, ""},
	} {
		acted := rule.Acted{Answer: c.answer, Look: c.look, Copies: 1}
		if got := troubleOf(c.answer, rule.Classify(acted)); got != c.want {
			t.Errorf("%+v, %s: %q, want %q", c.answer, c.look, got, c.want)
		}
	}
}
