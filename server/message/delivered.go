package message

import (
	"slices"

	"sendonce/server/delivery"
	"sendonce/server/rule"
)

// Observe adds what was seen of the message after it had left, and says of each of its copies how far that came.
func (m *Message) Observe(seen []delivery.Observation) {
	m.Observed = seen
	for i, s := range m.Sends {
		for j, d := range s.Deliveries {
			of := []delivery.Observation{s.confirmed(d)}
			for _, o := range seen {
				if o.ProviderID == d.ProviderID {
					of = append(of, o)
				}
			}
			m.Sends[i].Deliveries[j].Reached = delivery.Fold(of)
		}
	}
}

// Reached is how far the message came: by what was observed of it, and by its own confirmed sends.
func (m Message) Reached() delivery.Evidence {
	seen := slices.Clone(m.Observed)
	for _, s := range m.Sends {
		for _, d := range s.Deliveries {
			seen = append(seen, s.confirmed(d))
		}
		if s.Status == rule.Sent && len(s.Deliveries) == 0 {
			seen = append(seen, s.confirmed(Delivery{})) // a person saw it there
		}
	}
	return delivery.Fold(seen)
}

// confirmed is a confirmation as an observation: the provider has the copy, since when it says, or else since that was heard.
func (s Send) confirmed(d Delivery) delivery.Observation {
	o := delivery.Observation{Kind: delivery.Sent, ProviderID: d.ProviderID}
	switch {
	case d.DeliveredAt != nil:
		o.At = *d.DeliveredAt
	case s.ConfirmedAt != nil:
		o.At = *s.ConfirmedAt
	}
	return o
}
