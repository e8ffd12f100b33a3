package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/postgres/db"
)

var (
	_ person.Store  = transaction{}
	_ person.Reader = (*Store)(nil)
)

// contactOf reads the level that the database says.
func contactOf(row db.PersonContactRow) people.Contact {
	c := people.Contact{Level: people.Level(row.Level), Because: row.Because, Owner: row.OwnerID, OwnerName: row.OwnerName}
	if row.FreeFrom.After(time.Unix(0, 0)) {
		c.FreeFrom = row.FreeFrom
	}
	return c
}

// PersonContact implements message.Store.
func (tx transaction) PersonContact(ctx context.Context, of, account, passedOver uuid.UUID) (people.Contact, error) {
	row, err := tx.q.PersonContact(ctx, of, nullable(account), nullable(passedOver))
	if err != nil {
		return people.Contact{}, fmt.Errorf("read how freely the person may be written to: %w", err)
	}
	return contactOf(row), nil
}

// MessagesContact implements message.Reader.
func (s *Store) MessagesContact(ctx context.Context, workspace uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]people.Contact, error) {
	rows, err := s.queries().MessagesContact(ctx, workspace, ids)
	if err != nil {
		return nil, fmt.Errorf("read how freely people may be written to: %w", err)
	}
	contacts := make(map[uuid.UUID]people.Contact, len(rows))
	for _, row := range rows {
		contacts[row.ID] = contactOf(db.PersonContactRow{
			Level: row.Level, Because: row.Because, OwnerID: row.OwnerID, FreeFrom: row.FreeFrom, OwnerName: row.OwnerName,
		})
	}
	return contacts, nil
}

// personOf is without the identities, which addIdentitiesOf reads for many.
func personOf(row db.PersonGetRow) (people.Person, error) {
	fields, err := fieldsOf(row.Fields)
	return people.Person{
		ID: row.ID, Name: row.Name, Company: row.Company, Fields: fields, Owner: orZero(row.OwnerID), OwnerName: row.OwnerName, Rows: row.Ids,
		Contact:   people.Contact{Level: people.Level(row.Level), Because: row.Because},
		RepliedAt: row.RepliedAt, CreatedAt: row.CreatedAt, RemovedAt: row.RemovedAt,
	}, err
}

// fieldsOf reads what is known of a person beside name and company.
func fieldsOf(raw []byte) (map[string]string, error) {
	fields := map[string]string{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("read what is known of a person: %w", err)
	}
	return fields, nil
}

func (tx transaction) addIdentitiesOf(ctx context.Context, workspace uuid.UUID, list []people.Person) error {
	at := map[uuid.UUID]*people.Person{}
	var rows []uuid.UUID
	for i := range list {
		rows = append(rows, list[i].Rows...)
		for _, id := range list[i].Rows {
			at[id] = &list[i]
		}
	}
	identities, err := tx.q.IdentitiesOfPeople(ctx, workspace, rows)
	if err != nil {
		return fmt.Errorf("list the identities of people: %w", err)
	}
	for _, one := range identities {
		p := at[one.PersonID]
		p.Identities = append(p.Identities, people.Identity{Kind: people.Kind(one.Kind), Value: one.Value})
	}
	return nil
}

// PersonGet implements person.Store.
func (tx transaction) PersonGet(ctx context.Context, workspace, id uuid.UUID) (people.Person, error) {
	row, err := tx.q.PersonGet(ctx, workspace, id)
	if err != nil {
		return people.Person{}, notFound(err, "person", id)
	}
	p, err := personOf(row)
	if err != nil {
		return people.Person{}, err
	}
	list := []people.Person{p}
	err = tx.addIdentitiesOf(ctx, workspace, list)
	return list[0], err
}

// PersonHold implements person.Store.
func (tx transaction) PersonHold(ctx context.Context, id uuid.UUID) error {
	if err := tx.q.PersonLock(ctx, id); err != nil {
		return fmt.Errorf("lock the person: %w", err)
	}
	return nil
}

// PersonSet implements person.Store.
func (tx transaction) PersonSet(ctx context.Context, workspace uuid.UUID, p people.Person) error {
	fields, err := json.Marshal(p.Fields)
	if err != nil {
		return fmt.Errorf("write what is known of the person: %w", err)
	}
	err = tx.q.PersonSet(ctx, db.PersonSetParams{
		Name: p.Name, Company: p.Company, CompanyKey: message.Fold(p.Company), Fields: fields, OwnerID: nullable(p.Owner), WorkspaceID: workspace, ID: p.ID,
	})
	if err != nil {
		return fmt.Errorf("change the person: %w", err)
	}
	return nil
}

// OwnerName implements person.Store.
func (tx transaction) OwnerName(ctx context.Context, workspace, principal uuid.UUID) (string, error) {
	name, err := tx.q.PersonOwnerNamed(ctx, workspace, principal)
	if err != nil {
		return "", notFound(err, "admin or recruiter", principal)
	}
	return name, nil
}

// PeopleList implements person.Reader.
func (s *Store) PeopleList(ctx context.Context, workspace uuid.UUID, page people.Page) (list []people.Person, err error) {
	params := db.PeoplePageParams{WorkspaceID: workspace, After: nullable(page.After), Name: page.Name, Most: int32(page.Most)}
	if page.Who != nil {
		params.Kind, params.Value = string(page.Who.Kind), page.Who.Value
	}
	err = s.inSnapshot(ctx, func(tx transaction) error {
		rows, err := tx.q.PeoplePage(ctx, params)
		if err != nil {
			return fmt.Errorf("list people: %w", err)
		}
		list = make([]people.Person, len(rows))
		for i, row := range rows {
			if list[i], err = personOf(db.PersonGetRow(row)); err != nil {
				return err
			}
		}
		return tx.addIdentitiesOf(ctx, workspace, list)
	})
	return list, err
}

// PersonStory implements person.Reader.
func (s *Store) PersonStory(ctx context.Context, workspace, id uuid.UUID) (story person.Story, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		if story.Person, err = tx.PersonGet(ctx, workspace, id); err != nil {
			return err
		}
		suppressions, err := tx.q.SuppressionsOfPeople(ctx, story.Rows)
		if err != nil {
			return fmt.Errorf("list what is said of whom not to contact: %w", err)
		}
		for _, row := range suppressions {
			story.Suppressions = append(story.Suppressions, suppressionOf(db.SuppressionGetRow(row)))
		}
		events, err := tx.q.PersonEvents(ctx, story.Rows, config.PersonEventsMax)
		if err != nil {
			return fmt.Errorf("list what was done about a person: %w", err)
		}
		for _, row := range events {
			e := person.Event{At: row.At, What: person.Did(row.What), By: row.ByName, Other: row.OtherName}
			if e.What == person.WasMerged && row.OtherID != nil {
				e.Other = row.OtherID.String()
			}
			story.History = append(story.History, e)
		}
		return nil
	})
	return story, err
}
