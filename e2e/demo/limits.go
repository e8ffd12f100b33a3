package main

import "time"

// Every number of the demo, with its unit.
const (
	// messageWithin bounds the wait for one message, on a busy machine.
	messageWithin = 60 * time.Second
	// lookEvery is the pause between two looks at a message's history.
	lookEvery = 100 * time.Millisecond
	// digestShown is how many characters of a digest a receipt shows.
	digestShown = 19
)

// windows are shorter than in earnest, so that nobody waits six minutes for the deadline.
var windows = map[string]string{
	"SENDONCE_TOUCH_WITHIN": "15s", "SENDONCE_ANSWER_WITHIN": "3s", "SENDONCE_LOOK_WITHIN": "6s", "SENDONCE_DEADLINE": "25s",
	"SENDONCE_SWEEP_EVERY": "200ms", "SENDONCE_POLL_EVERY": "500ms",
	"SENDONCE_ALLOW_EPHEMERAL_DATA": "true", // the demo's data is thrown away on purpose
}
