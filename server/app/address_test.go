package app

import (
	"testing"

	"sendonce/server/config"
)

// Goal: plain HTTP never leaves the machine.
func TestPlainHTTPIsSpokenOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		addr, public string
		ok           bool
	}{
		{"127.0.0.1:8080", "", true},
		{"[::1]:0", "", true},
		{"localhost:8080", "", true},
		{"0.0.0.0:8080", "", false},
		{":8080", "", false},
		{"192.0.2.1:8080", "http://sendonce.example", false},
		{"0.0.0.0:8080", "https://", false},
		{"0.0.0.0:8080", "https://sendonce.example", true},
		{"0.0.0.0:8080", "http://127.0.0.1:8080", true},
		{"8080", "https://sendonce.example", false},
	} {
		err := checkAddress(config.Settings{Addr: c.addr, PublicURL: c.public})
		if (err == nil) != c.ok {
			t.Errorf("SENDONCE_ADDR %q, SENDONCE_PUBLIC_URL %q: %v, want ok %t", c.addr, c.public, err, c.ok)
		}
	}
}
