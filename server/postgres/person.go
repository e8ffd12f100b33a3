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

// joinPerson returns the person with these identities, making one when there is none and adding the identities that are new.
// isKnown is false when this made the person. problem.PersonConflict when they belong to different people.
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

// ownerOf is somebody who is known by one of them, or uuid.Nil. Whether the others are theirs too is found by identify.
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
	return owners[0], nil
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
		if len(owners) != 1 || owners[0] != person {
			return peopleDiffer()
		}
	}
	return nil
}

func queueOwner(b *pgx.Batch, owners *[]uuid.UUID, workspace uuid.UUID, identity people.Identity) {
	queueRows(b, "find the person", owners, pgx.RowTo[uuid.UUID], db.PersonByIdentity, workspace, string(identity.Kind), identity.Value)
}

func peopleDiffer() error {
	return problem.New(problem.PersonConflict, "the mail address belongs to somebody with another profile; leave it out, or name that profile")
}

// PeopleList returns people with their identities, by id.
func (s *Store) PeopleList(ctx context.Context, workspace uuid.UUID, page people.Page) (list []people.Person, err error) {
	params := db.PeoplePageParams{WorkspaceID: workspace, After: nullable(page.After), Most: int32(page.Most)}
	if page.Who != nil {
		params.Kind, params.Value = string(page.Who.Kind), page.Who.Value
	}
	err = s.inSnapshot(ctx, func(tx transaction) error {
		rows, err := tx.q.PeoplePage(ctx, params)
		if err != nil {
			return fmt.Errorf("list people: %w", err)
		}
		ids, at := make([]uuid.UUID, len(rows)), make(map[uuid.UUID]int, len(rows))
		for i, row := range rows {
			ids[i], at[row.ID] = row.ID, i
			list = append(list, people.Person{
				ID: row.ID, Name: row.Name, DoNotContact: row.SuppressedAt != nil, RepliedAt: row.RepliedAt, CreatedAt: row.CreatedAt,
			})
		}
		identities, err := tx.q.IdentitiesOfPeople(ctx, workspace, ids)
		if err != nil {
			return fmt.Errorf("list their identities: %w", err)
		}
		for _, one := range identities {
			person := &list[at[one.PersonID]]
			person.Identities = append(person.Identities, people.Identity{Kind: people.Kind(one.Kind), Value: one.Value})
		}
		return nil
	})
	return list, err
}
