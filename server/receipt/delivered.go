package receipt

import (
	"sendonce/server/delivery"
	"sendonce/server/message"
)

// DeliveryEvidence is how far the message came after it had left, beside what became of its sends. State is null when no step was
// seen; what bounced or was not delivered is shown beside it, whenever it was said, and so is when the member first wrote to the person
// by hand after it.
type DeliveryEvidence struct {
	State        *delivery.Kind `json:"state"`
	At           *Moment        `json:"at"`
	Undelivered  *Trouble       `json:"undelivered"`
	Bounced      *Trouble       `json:"bounced"`
	ByHandAt     *Moment        `json:"by_hand_at"`
	Observations []Observation  `json:"observations"`
}

// Trouble is why it did not arrive, in the provider's words.
type Trouble struct {
	At     Moment  `json:"at"`
	Detail *string `json:"detail"`
}

// Observation is one thing that was seen, in the order in which it was heard. SeenID is of the reply, or of the message by hand, where
// a browser saw one. At is by the clock of who saw it; Source is null for a browser.
type Observation struct {
	Kind       delivery.Kind `json:"kind"`
	ProviderID *string       `json:"provider_id"`
	SeenID     *string       `json:"seen_id"`
	At         Moment        `json:"at"`
	Detail     *string       `json:"detail"`
	Source     *string       `json:"source"`
	ReceivedAt Moment        `json:"received_at"`
}

func deliveryOf(m message.Message) DeliveryEvidence {
	reached := m.Reached()
	out := DeliveryEvidence{State: orNull(reached.State), Undelivered: troubleOf(reached.Undelivered), Bounced: troubleOf(reached.Bounced)}
	if out.State != nil {
		out.At = AtOrNull(&reached.At)
	}
	if !reached.ByHandAt.IsZero() {
		out.ByHandAt = AtOrNull(&reached.ByHandAt)
	}
	for _, o := range m.Observed {
		out.Observations = append(out.Observations, Observation{
			Kind: o.Kind, ProviderID: orNull(o.ProviderID), SeenID: orNull(o.SeenID), At: At(o.At), Detail: orNull(o.Detail),
			Source: orNull(o.Source), ReceivedAt: At(o.ReceivedAt),
		})
	}
	return out
}

func troubleOf(t *delivery.Trouble) *Trouble {
	if t == nil {
		return nil
	}
	return &Trouble{At(t.At), orNull(t.Detail)}
}
