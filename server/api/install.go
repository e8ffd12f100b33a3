package api

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// pairingCodeView: both are null for a code that has long run out.
type pairingCodeView struct {
	Code      *string    `json:"code"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// createPairingCode makes the code itself anew for a repeated key: an answer that was kept with it would hold it in clear.
func (a *API) createPairingCode(c call) error {
	if err := a.installs.MayPair(); err != nil {
		return err
	}
	once, err := readCommand(c, &struct{}{})
	if err != nil {
		return err
	}
	if once == nil {
		code, err := a.installs.NewPairingCode(c.ctx(), c.who.Workspace, c.who.ID)
		if err != nil {
			return err
		}
		return showJSON(c, http.StatusCreated, pairingCodeView{&code.Code, &code.ExpiresAt})
	}
	code := a.installs.CodeUnder(c.who, once.Key)
	answer, replayed, err := a.command(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		expires, err := install.AddCode(c.ctx(), tx, c.who, code)
		return result{view: expires}, err
	})
	if err != nil {
		return err
	}
	sayReplayed(c, replayed)
	if answer.IsForgotten {
		return showJSON(c, http.StatusOK, pairingCodeView{})
	}
	shown := pairingCodeView{Code: &code}
	if err := json.Unmarshal(answer.Body, &shown.ExpiresAt); err != nil {
		return fmt.Errorf("read the kept answer: %w", err)
	}
	return showJSON(c, answer.Status, shown)
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
		install.ErrBadSecret: problem.BadSecret, install.ErrRevoked: problem.InstallRevoked,
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
	once, err := readCommand(c, &struct{}{})
	if err != nil {
		return err
	}
	answer, replayed, err := a.commands.Revoke(c.ctx(), c.who, once, id)
	if err != nil {
		return err
	}
	return a.say(c, answer, replayed)
}

func (a *API) getInstall(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	found, err := a.installs.Get(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showInstall(found))
}
