package console

import (
	"net/http"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/pause"
)

type installRow struct {
	install.Info
	Pause pausable
}

type installsPage struct {
	Over over
	Rows []installRow
	Code *install.PairingCode
}

func (s *Console) showInstalls(v visit) error { return s.installsPage(v, nil) }

// pair shows the code in the answer itself: it is stored nowhere, so another page could not show it.
func (s *Console) pair(v visit) error {
	if err := s.installs.MayPair(); err != nil {
		return err
	}
	code, err := s.installs.NewPairingCode(v.ctx(), v.who.Workspace, v.who.ID)
	if err != nil {
		return err
	}
	return s.installsPage(v, &code)
}

func (s *Console) installsPage(v visit, code *install.PairingCode) error {
	rows, err := s.installs.List(v.ctx(), v.who.Workspace, uuid.Nil, config.PageSizeMax)
	if err != nil {
		return err
	}
	page := installsPage{Code: code}
	if page.Over, err = s.over(v); err != nil {
		return err
	}
	for _, one := range rows {
		standing := pause.Pause{At: one.PausedAt, By: one.PausedBy, Note: one.PauseNote}
		page.Rows = append(page.Rows, installRow{one, v.pausable("/installs/"+one.ID.String(), pause.Install, standing)})
	}
	return s.show(v, "installs", "Browsers", page)
}

func (s *Console) revoke(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	if _, _, err := s.commands.Revoke(v.ctx(), v.who, once(v, ""), id); err != nil {
		return err
	}
	return v.Redirect(http.StatusSeeOther, "/installs")
}
