package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/people"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// ResolvePerson implements send.ResolveStore. It decides once more when somebody else was pinned to the URN while it
// looked: their rows are locked by another send, if at all.
func (s *Store) ResolvePerson(ctx context.Context, resolve send.ResolveWrite, decide func(send.Facts, send.Joining) string) (string, error) {
	var halt string
	var read factsRead
	err := s.inTrips(ctx, rule.Sender, uuid.Nil, func(first *pgx.Batch) {
		read.queue(first, resolve.Send, resolve.Session)
	}, func(t trips) error {
		q := t.q
		facts, err := read.result()
		if err != nil {
			return err
		}
		known, err := s.joining(ctx, q, resolve)
		if err != nil {
			return err
		}
		if halt = decide(facts, known); halt != "" {
			return nil
		}
		pinned, err := q.PersonPinURN(ctx, resolve.URN, resolve.Send)
		if err != nil {
			return fmt.Errorf("pin the person: %w", err)
		}
		if pinned == 0 {
			if known, err = s.joining(ctx, q, resolve); err != nil {
				return err
			}
			if halt = decide(facts, known); halt != "" {
				return nil
			}
		}
		if err := q.PersonName(ctx, resolve.Name, resolve.Send); err != nil {
			return fmt.Errorf("name the person: %w", err)
		}
		return nil
	})
	return halt, err
}

func (s *Store) joining(ctx context.Context, q *db.Queries, resolve send.ResolveWrite) (send.Joining, error) {
	slug := slugKey(resolve.Slug)
	known, err := q.PersonJoining(ctx, resolve.URN, slug, resolve.Send)
	if err != nil {
		return send.Joining{}, fmt.Errorf("read who the person is: %w", err)
	}
	shown := []people.Identity{{Kind: people.LinkedInURN, Value: resolve.URN}, {Kind: people.LinkedInSlug, Value: slug}}
	gone, err := isRemoved(ctx, q, s.marks.Load(), resolve.Session.Workspace, shown)
	return send.Joining{PinnedURN: known.PinnedUrn, Owner: known.Owner, MustNotContact: gone || known.Suppressed}, err
}

// slugKey is the slug as a key of person_identities; "", which is nobody's, when it is none.
func slugKey(slug string) string {
	identity, err := people.ParseLinkedIn("slug", "/in/"+slug)
	if err != nil || identity.Kind != people.LinkedInSlug {
		return ""
	}
	return identity.Value
}
