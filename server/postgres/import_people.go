package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"sendonce/server/imports"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/postgres/db"
)

// Meet implements imports.Store. It asks the same of all at once.
func (tx transaction) Meet(ctx context.Context, workspace, by uuid.UUID, candidates []imports.Candidate) ([]imports.Met, error) {
	met := make([]imports.Met, len(candidates))
	if err := tx.meetPeople(ctx, workspace, by, candidates, met); err != nil {
		return nil, err
	}
	if err := tx.meetSuppressions(ctx, workspace, candidates, met); err != nil {
		return nil, err
	}
	return met, tx.meetRemoved(ctx, workspace, candidates, met)
}

func (tx transaction) meetPeople(ctx context.Context, workspace, by uuid.UUID, candidates []imports.Candidate, met []imports.Met) error {
	var places []int32
	var kinds, values []string
	for at, c := range candidates {
		for _, one := range c.Identities {
			places, kinds, values = append(places, int32(at)), append(kinds, string(one.Kind)), append(values, one.Value)
		}
	}
	named, err := tx.q.PeopleNamed(ctx, places, kinds, values, workspace)
	if err != nil {
		return fmt.Errorf("find whom addresses belong to: %w", err)
	}
	var ids []uuid.UUID
	for _, row := range named {
		ids = append(ids, row.OneID)
	}
	known, facts, err := tx.peopleMet(ctx, workspace, by, ids)
	if err != nil {
		return err
	}
	for _, row := range named {
		m := &met[row.Place]
		m.IsTwo = m.IsTwo || len(m.Person.Rows) > 0
		m.Person = known[row.OneID]
		m.Unconfirmed, m.Contacted = facts[row.OneID].Unconfirmed, facts[row.OneID].Contacted
	}
	return nil
}

// peopleMet is what is known of people, by their id.
func (tx transaction) peopleMet(ctx context.Context, workspace, by uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]people.Person, map[uuid.UUID]db.PeopleMetRow, error) {
	rows, err := tx.q.PeopleMet(ctx, ids, by, workspace)
	if err != nil {
		return nil, nil, fmt.Errorf("read what is known of people: %w", err)
	}
	list := make([]people.Person, len(rows))
	facts := map[uuid.UUID]db.PeopleMetRow{}
	for i, row := range rows {
		fields, err := fieldsOf(row.Fields)
		if err != nil {
			return nil, nil, err
		}
		list[i] = people.Person{
			ID: row.ID, Name: row.Name, Company: row.Company, Fields: fields, Rows: row.Ids, RemovedAt: row.RemovedAt,
			Contact: people.Contact{Level: people.Level(row.Level), Because: row.Because, OwnerName: row.OwnerName},
		}
		facts[row.ID] = row
	}
	if err := tx.addIdentitiesOf(ctx, workspace, list); err != nil {
		return nil, nil, err
	}
	known := map[uuid.UUID]people.Person{}
	for _, one := range list {
		known[one.ID] = one
	}
	return known, facts, nil
}

// meetSuppressions says whose row names what must not be contacted, whoever it is: an address, its domain or those above, a company.
func (tx transaction) meetSuppressions(ctx context.Context, workspace uuid.UUID, candidates []imports.Candidate, met []imports.Met) error {
	var places []int32
	var scopes, values []string
	add := func(at int, scope person.Scope, value string) {
		places, scopes, values = append(places, int32(at)), append(scopes, string(scope)), append(values, value)
	}
	for at, c := range candidates {
		for _, one := range c.Identities {
			add(at, person.Scope(one.Kind), one.Value)
			if _, domain, isMail := strings.Cut(one.Value, "@"); isMail && one.Kind == people.Email {
				for isThere := true; isThere; _, domain, isThere = strings.Cut(domain, ".") {
					add(at, person.OfDomain, domain)
				}
			}
		}
		if c.Company != "" {
			add(at, person.OfCompany, message.Fold(c.Company))
		}
	}
	found, err := tx.q.SuppressionsNamed(ctx, places, scopes, values, workspace)
	if err != nil {
		return fmt.Errorf("look for who must not be contacted: %w", err)
	}
	for _, row := range found {
		met[row.Place].Because = row.Scope
	}
	return nil
}

func (tx transaction) meetRemoved(ctx context.Context, workspace uuid.UUID, candidates []imports.Candidate, met []imports.Met) error {
	names := make([][]people.Identity, len(candidates))
	for at, c := range candidates {
		names[at] = c.Named
	}
	removed, err := tx.areRemoved(ctx, workspace, names)
	for at := range removed {
		met[at].WasRemoved = removed[at]
	}
	return err
}

// areRemoved says of each whether one of their addresses is of somebody who was removed.
func (tx transaction) areRemoved(ctx context.Context, workspace uuid.UUID, names [][]people.Identity) ([]bool, error) {
	removed := make([]bool, len(names))
	key, err := markKey(ctx, tx.q, tx.marks, workspace)
	if err != nil || key == nil {
		return removed, err
	}
	var all [][]byte
	of := make([][][]byte, len(names))
	for at, identities := range names {
		of[at] = marksOf(key, identities)
		all = append(all, of[at]...)
	}
	found, err := tx.q.MarksFound(ctx, workspace, all)
	if err != nil {
		return nil, fmt.Errorf("look for marks: %w", err)
	}
	for at := range removed {
		removed[at] = slices.ContainsFunc(of[at], func(mark []byte) bool {
			return slices.ContainsFunc(found, func(one []byte) bool { return bytes.Equal(one, mark) })
		})
	}
	return removed, nil
}

// Apply implements imports.Store. As in a proposal the addresses come first, in the order of their keys, then the people by their ids. What
// was read before is held against what is so once nobody else can change it.
func (tx transaction) Apply(ctx context.Context, workspace uuid.UUID, changes []imports.Change) error {
	if len(changes) == 0 {
		return nil
	}
	var made, filled []imports.Change
	var known []uuid.UUID
	var kinds, values []string
	var owners []uuid.UUID
	var added []people.Identity
	for _, change := range changes {
		if change.IsNew {
			made = append(made, change)
		} else {
			filled, known = append(filled, change), append(known, change.Was.ID)
		}
		for _, one := range change.Add {
			kinds, values, owners = append(kinds, string(one.Kind)), append(values, one.Value), append(owners, change.Was.ID)
		}
		added = append(added, change.Add...)
	}
	if err := tx.makePeople(ctx, workspace, made); err != nil {
		return err
	}
	count, err := tx.q.IdentitiesInsertMany(ctx, workspace, kinds, values, owners)
	if err != nil {
		return fmt.Errorf("add addresses: %w", err)
	}
	if int(count) != len(kinds) {
		return imports.ErrMoved
	}
	if err := tx.fillPeople(ctx, workspace, filled, known); err != nil {
		return err
	}
	// After the addresses were added: a removal beside this is either seen here, or meets them.
	gone, err := isRemoved(ctx, tx.q, tx.marks, workspace, added)
	if err == nil && gone {
		err = imports.ErrMoved
	}
	return err
}

func (tx transaction) makePeople(ctx context.Context, workspace uuid.UUID, made []imports.Change) error {
	texts, err := textsOf(made)
	if err != nil {
		return err
	}
	err = tx.q.PeopleInsertMany(ctx, db.PeopleInsertManyParams{
		WorkspaceID: workspace, Ids: texts.ids, Names: texts.names, Companies: texts.companies, CompanyKeys: texts.companyKeys, Fields: texts.fields,
	})
	if err != nil {
		return fmt.Errorf("make people: %w", err)
	}
	return nil
}

func (tx transaction) fillPeople(ctx context.Context, workspace uuid.UUID, filled []imports.Change, ids []uuid.UUID) error {
	if len(filled) == 0 {
		return nil
	}
	locked, err := tx.q.PeopleLock(ctx, ids)
	if err != nil {
		return fmt.Errorf("lock people: %w", err)
	}
	if len(locked) != len(filled) {
		return imports.ErrMoved // one of them was merged
	}
	now, _, err := tx.peopleMet(ctx, workspace, uuid.Nil, ids)
	if err != nil {
		return err
	}
	for _, change := range filled {
		if !isAsRead(now[change.Was.ID], change) {
			return imports.ErrMoved
		}
	}
	texts, err := textsOf(filled)
	if err != nil {
		return err
	}
	err = tx.q.PeopleFillMany(ctx, db.PeopleFillManyParams{
		WorkspaceID: workspace, Ids: texts.ids, Names: texts.names, Companies: texts.companies, CompanyKeys: texts.companyKeys, Fields: texts.fields,
	})
	if err != nil {
		return fmt.Errorf("fill what is known of people: %w", err)
	}
	return nil
}

// isAsRead reports whether a person is as was read, but for the addresses that were added since.
func isAsRead(now people.Person, change imports.Change) bool {
	was := change.Was
	return now.RemovedAt == nil && now.Name == was.Name && now.Company == was.Company && maps.Equal(now.Fields, was.Fields) &&
		len(now.Identities) == len(was.Identities)+len(change.Add) &&
		!slices.ContainsFunc(now.Identities, func(one people.Identity) bool {
			return !slices.Contains(was.Identities, one) && !slices.Contains(change.Add, one)
		})
}

// peopleTexts are what people are called and known for, one beside the other.
type peopleTexts struct {
	ids                                   []uuid.UUID
	names, companies, companyKeys, fields []string
}

func textsOf(changes []imports.Change) (t peopleTexts, err error) {
	for _, change := range changes {
		p := change.Next
		fields, err := json.Marshal(p.Fields)
		if err != nil {
			return t, fmt.Errorf("write what is known of a person: %w", err)
		}
		t.ids, t.names, t.companies = append(t.ids, p.ID), append(t.names, p.Name), append(t.companies, p.Company)
		t.companyKeys, t.fields = append(t.companyKeys, message.Fold(p.Company)), append(t.fields, string(fields))
	}
	return t, nil
}
