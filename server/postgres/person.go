package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/people"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
)

// joinPerson returns the person with these identities, making one when there is none and adding the identities that are new. Of a
// person who is several rows it is the row with the profile, whose kind comes last. isKnown is false when this made the person.
// problem.PersonConflict when they belong to different people.
func (tx transaction) joinPerson(ctx context.Context, workspace uuid.UUID, name string, identities []people.Identity) (person db.PersonInsertRow, isKnown bool, err error) {
	if person.ID, err = tx.ownerOf(ctx, workspace, identities); err != nil {
		return person, false, err
	}
	if isKnown = person.ID != uuid.Nil; !isKnown {
		person, err = tx.q.PersonInsert(ctx, workspace, name, string(identities[0].Kind), identities[0].Value)
		if errors.Is(err, pgx.ErrNoRows) { // another request made the person while this one looked
			isKnown = true
			person.ID, err = tx.ownerOf(ctx, workspace, identities[:1])
		}
		if err != nil {
			return person, false, fmt.Errorf("make the person: %w", err)
		}
	}
	if len(identities) > 1 {
		if err := tx.identify(ctx, workspace, person.ID, identities); err != nil {
			return person, false, err
		}
	}
	if name == "" || !isKnown {
		return person, isKnown, nil
	}
	if err := tx.q.PersonNameIfNone(ctx, name, workspace, person.ID); err != nil {
		return person, false, fmt.Errorf("name the person: %w", err)
	}
	return person, isKnown, nil
}

// ownerOf is the last of those who are known by one of them, or uuid.Nil. Whether the others are theirs too is found by identify.
func (tx transaction) ownerOf(ctx context.Context, workspace uuid.UUID, identities []people.Identity) (uuid.UUID, error) {
	found := make([][]uuid.UUID, len(identities))
	err := trip(ctx, tx.conn, func(b *pgx.Batch) {
		for i, identity := range identities {
			queueOwner(b, &found[i], workspace, identity)
		}
	})
	owners := slices.Concat(found...)
	if err != nil || len(owners) == 0 {
		return uuid.Nil, err
	}
	return owners[len(owners)-1], nil
}

// identify adds the identities that are new to the person, and refuses those of somebody else.
func (tx transaction) identify(ctx context.Context, workspace, person uuid.UUID, identities []people.Identity) error {
	found := make([][]uuid.UUID, len(identities))
	err := trip(ctx, tx.conn, func(b *pgx.Batch) {
		for i, identity := range identities {
			queueExec(b, "add an identity", db.IdentityInsert, workspace, string(identity.Kind), identity.Value, person)
			queueOwner(b, &found[i], workspace, identity)
		}
	})
	if err != nil {
		return err
	}
	for _, owners := range found {
		switch {
		case len(owners) != 1:
			return peopleDiffer()
		case owners[0] != person:
			if err := tx.mustBeOne(ctx, owners[0], person); err != nil {
				return err
			}
		}
	}
	return nil
}

func queueOwner(b *pgx.Batch, owners *[]uuid.UUID, workspace uuid.UUID, identity people.Identity) {
	queueRows(b, "find the person", owners, pgx.RowTo[uuid.UUID], db.PersonByIdentity, workspace, string(identity.Kind), identity.Value)
}

// mustBeOne refuses two rows that are not of one person.
func (tx transaction) mustBeOne(ctx context.Context, one, other uuid.UUID) error {
	areOne, err := tx.q.PeopleAreOne(ctx, one, other)
	if err != nil {
		return fmt.Errorf("look whether two were merged: %w", err)
	}
	if !areOne {
		return peopleDiffer()
	}
	return nil
}

func peopleDiffer() error {
	return problem.New(problem.PersonConflict, "the mail address belongs to somebody with another profile; leave it out, or name that profile")
}
