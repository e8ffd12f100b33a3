package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// createPairingCode keeps no answer under an Idempotency-Key: it would be the code in clear. A repeated request makes one
// more code, which runs out by itself.
func (a *API) createPairingCode(c call) error {
	if _, err := readCommand(c, &struct{}{}); err != nil {
		return err
	}
	code, err := a.installs.NewPairingCode(c.ctx(), c.who.Workspace, c.who.ID)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusCreated, struct {
		Code      string    `json:"code"`
		ExpiresAt time.Time `json:"expires_at"`
	}{code.Code, code.ExpiresAt})
}

// createInstall needs no token: the code is the proof.
func (a *API) createInstall(c echo.Context) error {
	var in struct {
		Code             string `json:"code"`
		ExtensionVersion string `json:"extension_version"`
	}
	if _, err := readJSON(c, &in); err != nil {
		return err
	}
	if in.Code == "" {
		return problem.Field("code", "give the code that the console shows")
	}
	version, err := message.CanonicalLine("extension_version", in.ExtensionVersion, config.ClientReleaseRunes)
	if err != nil {
		return err
	}
	paired, err := a.installs.Pair(c.Request().Context(), c.RealIP(), in.Code, version)
	if err != nil {
		return installProblem(err)
	}
	return showJSON(c, http.StatusCreated, struct {
		InstallID     uuid.UUID `json:"install_id"`
		RefreshSecret string    `json:"refresh_secret"`
	}{paired.Install, paired.RefreshSecret})
}

// renewInstall needs no token: the secret is the proof, and rotates.
func (a *API) renewInstall(c echo.Context) error {
	var in struct {
		InstallID     uuid.UUID `json:"install_id"`
		RefreshSecret string    `json:"refresh_secret"`
	}
	if _, err := readJSON(c, &in); err != nil {
		return err
	}
	if in.RefreshSecret == "" {
		return problem.Field("refresh_secret", "give the install's secret")
	}
	token, err := a.installs.Token(c.Request().Context(), in.InstallID, in.RefreshSecret)
	if err != nil {
		return installProblem(err)
	}
	return showJSON(c, http.StatusOK, struct {
		Token         string    `json:"token"`
		ExpiresAt     time.Time `json:"expires_at"`
		RefreshSecret string    `json:"refresh_secret"`
	}{token.Access, time.Now().UTC().Add(token.ExpiresIn), token.RefreshSecret})
}

func installProblem(err error) error {
	for known, code := range map[error]problem.Code{
		install.ErrBadCode: problem.BadCode, install.ErrTooManyTries: problem.TooManyAttempts,
		install.ErrBadSecret: problem.BadSecret, install.ErrRevoked: problem.InstallRevoked, install.ErrNotFound: problem.NotFound,
	} {
		if errors.Is(err, known) {
			return problem.New(code, "%s", known)
		}
	}
	return err
}

type installView struct {
	ID               uuid.UUID  `json:"id"`
	Principal        string     `json:"principal"`
	ExtensionVersion string     `json:"extension_version"`
	CreatedAt        time.Time  `json:"created_at"`
	LastSeenAt       *time.Time `json:"last_seen_at"`
	RevokedAt        *time.Time `json:"revoked_at"`
	RevokedCode      *string    `json:"revoked_code"`
	PausedAt         *time.Time `json:"paused_at"`
	PausedBy         *string    `json:"paused_by"`
	PauseNote        *string    `json:"pause_note"`
}

func showInstall(i install.Info) installView {
	return installView{
		ID: i.ID, Principal: i.PrincipalName, ExtensionVersion: i.ExtensionVersion, CreatedAt: i.CreatedAt,
		LastSeenAt: orNull(i.LastSeenAt), RevokedAt: orNull(i.RevokedAt), RevokedCode: orNull(i.RevokedCode),
		PausedAt: orNull(i.PausedAt), PausedBy: orNull(i.PausedBy), PauseNote: orNull(i.PauseNote),
	}
}

func (a *API) listInstalls(c call) error {
	p, err := readPage(c)
	if err != nil {
		return err
	}
	found, err := a.installs.List(c.ctx(), c.who.Workspace, p.after, p.most+1)
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(i install.Info) uuid.UUID { return i.ID }, showInstall)
}

func (a *API) revokeInstall(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	if err := a.installs.Revoke(c.ctx(), c.who.Workspace, id); err != nil {
		return installProblem(err)
	}
	return c.NoContent(http.StatusNoContent)
}
