package main

import (
	"strings"
	"testing"

	"sendonce/server/config"
)

// Goal: the command prints the key of what it is given, and reads no more than a request may hold.
func TestKeyCommand(t *testing.T) {
	t.Parallel()
	const want = "agent:lead-42:44136fa355b3678a"
	for payload, fine := range map[string]bool{
		"{}": true, " {}\n": true, "": false, "[]": false, `{"a":"` + strings.Repeat("x", config.RequestBodyBytesMax) + `"}`: false,
	} {
		got, err := keyOf("agent", "lead-42", strings.NewReader(payload))
		if fine && got != want || fine != (err == nil) {
			t.Errorf("%.20q: %q, %v", payload, got, err)
		}
	}
}
