package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// ProposalBasis implements message.Store. Everything is asked in one round trip; only a person who is known already, or is named in
// two ways, takes more. Whom this transaction made, nobody else can see: there is nothing to lock, and no rival.
func (tx transaction) ProposalBasis(ctx context.Context, workspace uuid.UUID, target message.Target, name string, identities []people.Identity) (message.Basis, error) {
	// In one order, so that two requests for one person do not wait for each other in a circle.
	identities = slices.Clone(identities)
	slices.SortFunc(identities, func(a, b people.Identity) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Value, b.Value))
	})
	var accounts []db.AccountGetRow
	var policies []db.PolicyNowRow
	var made []db.PersonInsertRow
	var contact contactRead
	err := trip(ctx, tx.conn, func(b *pgx.Batch) {
		queueRows(b, "read the account", &accounts, pgx.RowToStructByPos[db.AccountGetRow], db.AccountGet, workspace, target.Account)
		queueRows(b, "read the policy", &policies, pgx.RowToStructByPos[db.PolicyNowRow], db.PolicyNow, workspace)
		if len(identities) == 1 { // one alone is looked for by its insert
			queueRows(b, "make the person", &made, pgx.RowToStructByPos[db.PersonInsertRow], db.PersonInsert,
				workspace, name, string(identities[0].Kind), identities[0].Value)
			contact.queue(b, workspace, target.Account, identities[0])
		}
	})
	if err != nil {
		return message.Basis{}, err
	}
	if len(accounts) == 0 || len(policies) == 0 { // the view has a policy for every workspace
		return message.Basis{}, notFound(pgx.ErrNoRows, "account", target.Account)
	}
	basis := message.Basis{Account: accountOf(accounts[0])}
	if basis.Policy, err = policyOf(policies[0]); err != nil {
		return message.Basis{}, err
	}
	person, isKnown := db.PersonInsertRow{}, false
	if len(made) == 1 {
		person = made[0]
	} else if person, isKnown, err = tx.joinPerson(ctx, workspace, name, identities); err != nil {
		return message.Basis{}, err
	}
	target.Person = person.ID
	switch {
	case isKnown:
		if basis, err = tx.meet(ctx, workspace, target, basis, &contact, identities[0]); err != nil {
			return message.Basis{}, err
		}
	case len(made) == 0: // named in two ways
		if err := trip(ctx, tx.conn, func(b *pgx.Batch) { contact.queue(b, workspace, target.Account, identities[0]) }); err != nil {
			return message.Basis{}, err
		}
		fallthrough
	default:
		basis.Now, basis.Person = person.NowAt, message.Person{ID: person.ID, Name: name, Identities: identities}
	}
	basis.Contact, err = contact.result(ctx, tx, workspace, identities)
	return basis, err
}

// contactRead is how freely whoever has an identity may be written to from an account, and the key with which it is asked whether
// somebody was removed who had it. It is read after what makes or locks the person: a removal beside it is either seen, or has not yet
// taken the person from under what follows.
type contactRead struct {
	contacts []db.IdentityContactRow
	keys     []db.MarkKeyGetRow
}

func (r *contactRead) queue(b *pgx.Batch, workspace, account uuid.UUID, identity people.Identity) {
	queueRows(b, "read how freely the person may be written to", &r.contacts, pgx.RowToStructByPos[db.IdentityContactRow], db.IdentityContact,
		account, workspace, string(identity.Kind), identity.Value)
	queueRows(b, "read the key of marks", &r.keys, pgx.RowToStructByPos[db.MarkKeyGetRow], db.MarkKeyGet, workspace)
}

// result is the refusal suppressed where one of the identities is of somebody who was removed.
func (r *contactRead) result(ctx context.Context, tx transaction, workspace uuid.UUID, identities []people.Identity) (people.Contact, error) {
	gone := len(r.contacts) == 0 // removed while this waited for them
	if !gone && len(r.keys) > 0 {
		var err error
		if gone, err = isRemoved(ctx, tx.q, tx.marks, workspace, identities); err != nil {
			return people.Contact{}, err
		}
	}
	if gone {
		return people.Contact{}, problem.Refused(rule.Suppressed).With("because", "removed")
	}
	return contactOf(db.PersonContactRow(r.contacts[0])), nil
}

// meet locks the target's person, who was known before, and adds what is known of them and what else is meant for them. Each
// statement sees what the lock waited for.
func (tx transaction) meet(ctx context.Context, workspace uuid.UUID, target message.Target, basis message.Basis, contact *contactRead, by people.Identity) (message.Basis, error) {
	var rivals []db.IntentRivalRow
	var met []db.PersonMetRow
	var identities []db.IdentitiesOfPeopleRow
	err := trip(ctx, tx.conn, func(b *pgx.Batch) {
		queueRival(b, &rivals, target, uuid.Nil)
		queueRows(b, "read the person", &met, pgx.RowToStructByPos[db.PersonMetRow], db.PersonMet, target.Account, workspace, target.Person)
		queueRows(b, "read their identities", &identities, pgx.RowToStructByPos[db.IdentitiesOfPeopleRow], db.IdentitiesOfPeople,
			workspace, []uuid.UUID{target.Person})
		contact.queue(b, workspace, target.Account, by)
	})
	if err != nil {
		return message.Basis{}, err
	}
	if len(met) == 0 {
		return message.Basis{}, notFound(pgx.ErrNoRows, "person", target.Person)
	}
	basis.Now, basis.Conversation = met[0].NowAt, met[0].Conversation
	basis.Person = message.Person{ID: target.Person, Name: met[0].Name}
	for _, row := range rivals {
		basis.Rival = rivalOf(row)
	}
	for _, row := range identities {
		basis.Person.Identities = append(basis.Person.Identities, people.Identity{Kind: people.Kind(row.Kind), Value: row.Value})
	}
	return basis, nil
}
