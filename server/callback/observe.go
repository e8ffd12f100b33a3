package callback

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/delivery"
	"sendonce/server/send"
)

// ErrNotTheirs says that a browser spoke of a conversation that it may not speak of. Nothing of it is kept.
var ErrNotTheirs = errors.New("the account is not this browser's, or the page was not of its member and the person; nothing was kept")

// Observed is what a browser saw in a conversation that it had opened for a lease or a check: what came after the newest message
// there that a send of ours left. It holds no text.
type Observed struct {
	Session              send.Session
	Token                string // of that lease, or that check
	MemberURN, PersonURN string // whose page it was, and with whom
	About                string // the provider's id of that newest message of ours
	Read                 bool   // the person has seen it, as the page marks it
	Later                []Later
	LookedAt             time.Time // by the browser's clock
}

// Later is one message after it: a reply of the person, or one that the member wrote by hand.
type Later struct {
	Kind       delivery.Kind // Replied or Manual
	ProviderID string
	At         time.Time // as its id says, by the provider's clock
	// TextDigest is "sha256:" and 64 hex digits, of a message by hand: it may be a copy of ours that nobody has recognised.
	TextDigest string
}

// Seen is one fact that a browser saw, about the copy of one of our messages.
type Seen struct {
	Kind       delivery.Kind
	About, ID  string // the copy, and what came after it; ID is "" for Read
	At         time.Time
	TextDigest string // of a message by hand, else ""
	Hash       []byte // whoever sees it, and whenever, it is the same fact
}

// SeenWrite is what a browser saw, and what it goes by that it may say so.
type SeenWrite struct {
	Send, Install        uuid.UUID // the send that the token is of
	MemberURN, PersonURN string
	Seen                 []Seen
}

// Observe keeps what a browser saw, each fact once, and joins what is about a known message, as Take does for a provider. Once
// it is kept it is taken. send.ErrBadLease, send.ErrForeignLease or ErrNotTheirs when the browser may not say it.
func (s *Service) Observe(ctx context.Context, o Observed) error {
	claims, err := s.sends.ClaimsOf(ctx, o.Session, o.Token)
	if err != nil {
		return err
	}
	write := SeenWrite{
		Send: claims.Send, Install: o.Session.Install, MemberURN: o.MemberURN, PersonURN: o.PersonURN, Seen: o.seen(claims.Account),
	}
	if err := s.store.SeenTake(ctx, write); err != nil {
		return fmt.Errorf("keep what a browser saw: %w", err)
	}
	hashes := make([][]byte, len(write.Seen))
	for i, one := range write.Seen {
		hashes[i] = one.Hash
	}
	waiting, err := s.store.WaitingAmong(ctx, claims.Workspace, hashes)
	if err != nil {
		return fmt.Errorf("read what waits of it: %w", err)
	}
	if _, err := s.joinAll(ctx, waiting); err != nil {
		s.log.Error("what a browser saw is kept and will be joined later", "install_id", o.Session.Install, "error", err)
	}
	return nil
}

// seen lists the facts. A page does not say when a message was read, so that the look is the moment. That the same reply came after
// another message of ours as well is another fact.
func (o Observed) seen(account uuid.UUID) []Seen {
	var facts []Seen
	add := func(kind delivery.Kind, id string, at time.Time, textDigest string) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%q\n%q", account, kind, o.About, id))
		facts = append(facts, Seen{Kind: kind, About: o.About, ID: id, At: at, TextDigest: textDigest, Hash: sum[:]})
	}
	if o.Read {
		add(delivery.Read, "", o.LookedAt, "")
	}
	for _, later := range o.Later {
		add(later.Kind, later.ProviderID, later.At, later.TextDigest)
	}
	return facts
}
