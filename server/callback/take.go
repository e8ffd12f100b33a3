package callback

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/delivery"
	"sendonce/server/send"
)

// Take keeps the events of a callback and joins those whose message is known. Once they are kept they are taken: what cannot
// be joined now, for whatever reason, is joined by Sweep. A malformed event refuses all of them, and nothing is kept.
func (s *Service) Take(ctx context.Context, source Source, events []Event) (Taken, error) {
	if err := check(events, s.now()); err != nil {
		return Taken{}, err
	}
	isNew, err := s.store.EventsTake(ctx, source, events)
	if err != nil {
		return Taken{}, fmt.Errorf("keep the events of a callback: %w", err)
	}
	hashes := make([][]byte, len(events))
	for i, e := range events {
		hashes[i] = e.Hash(source.ID)
	}
	waiting, err := s.store.WaitingAmong(ctx, source.Workspace, hashes)
	if err != nil {
		return Taken{}, fmt.Errorf("read which events wait: %w", err)
	}
	joined, err := s.joinAll(ctx, waiting)
	if err != nil {
		s.log.Error("events of a callback are kept and will be joined later", "source_id", source.ID, "error", err)
	}
	return Taken{New: isNew, Known: len(events) - isNew, Kept: len(waiting) - joined}, nil
}

// Sweep joins what came before its message was known, and what a server that died had kept and not yet joined. It looks at one
// page each time, and begins anew after the last.
func (s *Service) Sweep(ctx context.Context) (joined int, err error) {
	s.walk.Lock()
	defer s.walk.Unlock()
	page, err := s.store.WaitingPage(ctx, s.at, config.CallbackJoinWithin, config.SweepRowsMax)
	if err != nil {
		return 0, fmt.Errorf("list waiting observations: %w", err)
	}
	s.at = Place{}
	if len(page) == config.SweepRowsMax {
		last := page[len(page)-1]
		s.at = Place{At: last.ReceivedAt, ID: last.ID}
	}
	return s.joinAll(ctx, page)
}

// joinAll goes on after an error: one bad row does not keep the others from it.
func (s *Service) joinAll(ctx context.Context, waiting []Waiting) (joined int, err error) {
	var failed []error
	for _, w := range waiting {
		if w.Message == uuid.Nil {
			continue
		}
		if err := s.join(ctx, w); err != nil {
			failed = append(failed, fmt.Errorf("join observation %d: %w", w.ID, err))
			continue
		}
		joined++
	}
	return joined, errors.Join(failed...)
}

// join does what a fact has to do with its message, and only then says that it is done: a server that dies in between does it
// all again, and each part changes nothing the second time. What a browser saw is about a copy that is recorded already, so that
// it confirms nothing: it moves no send but those that a reply calls off, and those of a sequence that a message by hand does.
func (s *Service) join(ctx context.Context, w Waiting) error {
	if w.Kind.Proves() && w.Source != "" {
		said, err := json.Marshal(map[string]any{"source": w.Source, "type": w.Kind, "provider_id": w.ProviderID, "at": w.At.UTC()})
		if err != nil {
			return fmt.Errorf("show what the provider says: %w", err)
		}
		err = s.sends.Provided(ctx, send.Provided{Message: w.Message, ProviderID: w.ProviderID, SentAt: sentAt(w), SeenAt: w.At, Raw: said})
		if err != nil {
			return fmt.Errorf("confirm by what the provider says: %w", err)
		}
	}
	if w.Kind == delivery.Replied {
		accounts, err := s.store.PersonReplied(ctx, w.Workspace, w.Person, w.At)
		if err != nil {
			return fmt.Errorf("note the reply: %w", err)
		}
		for _, account := range accounts {
			s.waker.Wake(account)
		}
	}
	if err := s.store.ObservationJoin(ctx, w.ID, w.Message); err != nil || w.Kind != delivery.Manual {
		return err
	}
	// A server that dies before it has done this leaves it to the look at the enrolment.
	accounts, err := s.store.WrittenByHand(ctx, w.Workspace, w.Person)
	if err != nil {
		return fmt.Errorf("take back what waits beside a message by hand: %w", err)
	}
	for _, account := range accounts {
		s.waker.Wake(account)
	}
	return nil
}

// sentAt is when the provider had the message, or zero when the fact tells only of something later.
func sentAt(w Waiting) time.Time {
	switch w.Kind {
	case delivery.Accepted, delivery.Sent, delivery.Delivered:
		return w.At
	}
	return time.Time{}
}
