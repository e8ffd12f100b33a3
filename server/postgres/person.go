package postgres

import (
	"cmp"
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

// PersonJoin implements message.Store. Identities are taken in one order, so that two requests for one person do not wait
// for each other in a circle.
func (tx transaction) PersonJoin(ctx context.Context, workspace uuid.UUID, name string, identities []people.Identity) (uuid.UUID, error) {
	identities = slices.Clone(identities)
	slices.SortFunc(identities, func(a, b people.Identity) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Value, b.Value))
	})
	var person uuid.UUID
	var made bool
	var err error
	if len(identities) > 1 { // one alone is looked for by its insert
		if person, err = tx.ownerOfAll(ctx, workspace, identities); err != nil {
			return uuid.Nil, err
		}
	}
	if person == uuid.Nil {
		person, err = tx.q.PersonInsert(ctx, workspace, name, string(identities[0].Kind), identities[0].Value)
		made = err == nil
		if errors.Is(err, pgx.ErrNoRows) { // known, or another request made the person while this one looked
			person, err = tx.ownerOf(ctx, workspace, identities[0])
		}
		if err != nil {
			return uuid.Nil, fmt.Errorf("make the person: %w", err)
		}
	}
	if len(identities) > 1 {
		for _, identity := range identities {
			if err := tx.addIdentity(ctx, workspace, person, identity); err != nil {
				return uuid.Nil, err
			}
		}
	}
	if name == "" || made {
		return person, nil
	}
	if err := tx.q.PersonNameIfNone(ctx, name, workspace, person); err != nil {
		return uuid.Nil, fmt.Errorf("name the person: %w", err)
	}
	return person, nil
}

// ownerOfAll is the one person who is known by any of them, or uuid.Nil.
func (tx transaction) ownerOfAll(ctx context.Context, workspace uuid.UUID, identities []people.Identity) (uuid.UUID, error) {
	person := uuid.Nil
	for _, identity := range identities {
		owner, err := tx.ownerOf(ctx, workspace, identity)
		if err != nil {
			return uuid.Nil, err
		}
		if owner != uuid.Nil && person != uuid.Nil && owner != person {
			return uuid.Nil, peopleDiffer()
		}
		if owner != uuid.Nil {
			person = owner
		}
	}
	return person, nil
}

func (tx transaction) ownerOf(ctx context.Context, workspace uuid.UUID, identity people.Identity) (uuid.UUID, error) {
	owner, err := tx.q.PersonByIdentity(ctx, workspace, string(identity.Kind), identity.Value)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, fmt.Errorf("find the person: %w", err)
	}
	return owner, nil
}

func (tx transaction) addIdentity(ctx context.Context, workspace, person uuid.UUID, identity people.Identity) error {
	if err := tx.q.IdentityInsert(ctx, workspace, string(identity.Kind), identity.Value, person); err != nil {
		return fmt.Errorf("add an identity: %w", err)
	}
	owner, err := tx.ownerOf(ctx, workspace, identity)
	if err == nil && owner != person {
		return peopleDiffer()
	}
	return err
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
