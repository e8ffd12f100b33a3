package config

import (
	"errors"
	"time"
)

// sandboxDefaults are the settings that are others in the sandbox: an address and a folder of its own, and times so short that
// the whole story of a message plays out in a minute.
var sandboxDefaults = map[string]string{
	"SENDONCE_ADDR":                 "127.0.0.1:8090",
	"SENDONCE_DATA":                 "./sendonce-sandbox",
	"SENDONCE_ALLOW_EPHEMERAL_DATA": "true", // what it forgets was never sent
	"SENDONCE_LEASE_LASTS":          "20s",
	"SENDONCE_TOUCH_WITHIN":         "6s",
	"SENDONCE_ANSWER_WITHIN":        "2s",
	"SENDONCE_LOOK_WITHIN":          "2s",
	"SENDONCE_DEADLINE":             "12s",
	"SENDONCE_SWEEP_EVERY":          "1s",
	"SENDONCE_POLL_EVERY":           "1s",
	"SENDONCE_GRACE":                "20s",
	"SENDONCE_GRACE_UNSEEN":         "1m",
	"SENDONCE_INCIDENTS_EVERY":      "5s",
	"SENDONCE_BREAKER_AFTER":        "20", // who tries the troubles one after the other is not to be stopped by them
}

// AllSandbox lists every setting with its default in the sandbox.
func AllSandbox() []Setting {
	all := All()
	for i := range all {
		if own, differs := sandboxDefaults[all[i].Name]; differs {
			all[i].Default = own
		}
	}
	return all
}

// LoadSandbox is Load for the sandbox. A database that somebody has named for something else is refused.
func LoadSandbox(lookup func(string) (string, bool)) (Settings, error) {
	s, err := load(AllSandbox(), lookup)
	if err == nil && s.DatabaseURL != "" {
		err = errors.New("the sandbox runs a private Postgres in a data folder of its own: unset DATABASE_URL")
	}
	s.Sandbox = true
	return s, err
}

// Bounds of the sandbox.
const (
	SandboxCopiesMax   = 10_000                 // messages that the made-up LinkedIn remembers; then it forgets the oldest
	SandboxReturnFirst = 200 * time.Millisecond // the first rest of a made-up browser whose connection broke; each is twice as long
	SandboxReturnMost  = 5 * time.Second
	SandboxAgainEvery  = 2 * time.Second // it says again what has no answer
	SandboxFramesMax   = 16              // that wait for it
	SandboxTokenFile   = "agent-token"   // in the data folder, for programs
)
