//go:build full

package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/standin"
)

// Goal: every answer that LinkedIn may give, on either side of accepting the message, ends as the table of outcomes says.
func TestEveryAnswer(t *testing.T) {
	for _, protocol := range []standin.Protocol{standin.HTTP1, standin.HTTP2} {
		t.Run(protocolNames[protocol], func(t *testing.T) {
			m := newMatrix(t, protocol, 15*time.Minute)
			for _, a := range answers {
				if protocol == standin.HTTP1 && a.do == standin.BreakStream {
					continue // it is what closing is
				}
				m.runs(a.before(), a.after())
			}
			t.Logf("%+v", m.seen)
		})
	}
}
