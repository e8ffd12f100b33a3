package api

import (
	"time"

	"sendonce/server/delivery"
)

// reachedView is how far a message, or one copy of it, came: evidence of its own, beside authority, status and closure. State is
// null when no step was seen. What bounced or was not delivered is shown beside it, whenever it was said; and so is when the member
// first wrote to the person by hand after it.
type reachedView struct {
	State       *delivery.Kind `json:"state"`
	At          *time.Time     `json:"at"`
	Undelivered *troubleView   `json:"undelivered"`
	Bounced     *troubleView   `json:"bounced"`
	ByHandAt    *time.Time     `json:"by_hand_at"`
}

type troubleView struct {
	At     time.Time `json:"at"`
	Detail *string   `json:"detail"`
}

// showReached is nil when nothing was seen.
func showReached(e delivery.Evidence) *reachedView {
	if e == (delivery.Evidence{}) {
		return nil
	}
	return &reachedView{orNull(e.State), orNull(e.At), showTrouble(e.Undelivered), showTrouble(e.Bounced), orNull(e.ByHandAt)}
}

func showTrouble(t *delivery.Trouble) *troubleView {
	if t == nil {
		return nil
	}
	return &troubleView{t.At, orNull(t.Detail)}
}
