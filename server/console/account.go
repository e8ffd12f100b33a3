package console

import (
	"time"

	"github.com/google/uuid"

	"sendonce/server/account"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/pause"
	"sendonce/server/rule"
)

type accountRow struct {
	account.Account
	Holds rule.Refusal
	Pause pausable
	Key   string
}

type accountsPage struct {
	Over over
	Rows []accountRow
	Key  string
}

func (s *Console) showAccounts(v visit) error {
	found, err := s.reads.AccountList(v.ctx(), v.who.Workspace, uuid.Nil, config.PageSizeMax)
	if err != nil {
		return err
	}
	page := accountsPage{Key: uuid.NewString()}
	if page.Over, err = s.over(v); err != nil {
		return err
	}
	for _, one := range found {
		page.Rows = append(page.Rows, accountRow{
			Account: one, Holds: one.WaitingFor(time.Now()), Key: uuid.NewString(),
			Pause: v.pausable("/accounts/"+one.ID.String(), pause.Account, pauseOf(one)),
		})
	}
	return s.show(v, "accounts", "Accounts", page)
}

func pauseOf(a account.Account) pause.Pause {
	var p pause.Pause
	if a.PausedAt != nil {
		p.At = *a.PausedAt
	}
	if a.PausedBy != nil {
		p.By = *a.PausedBy
	}
	if a.PauseNote != nil {
		p.Note = *a.PauseNote
	}
	return p
}

func (s *Console) addAccount(v visit) error {
	handle := v.FormValue("handle")
	return s.run(v, handle, "/accounts", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		made, err := account.Create(v.ctx(), tx, v.who, account.LinkedIn, handle)
		return made.ID, uuid.Nil, err
	})
}

func (s *Console) clearAccount(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	return s.run(v, "", "/accounts", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		_, err := tx.AccountClear(v.ctx(), v.who.Workspace, id)
		return id, id, err
	})
}
