package api

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"sendonce/server/bulk"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/key"
	"sendonce/server/problem"
)

const (
	keyHeader      = "Idempotency-Key"
	replayedHeader = "Idempotency-Replayed"
)

// result is what a command comes to: what it was about, how that is shown, and the account that may have work now.
type result struct {
	object uuid.UUID
	view   any
	wake   uuid.UUID
}

// run runs one command and answers with its result, or with the first one under the same key.
func (a *API) run(c call, status int, once *command.Once, do func(command.Tx) (result, error)) error {
	answer, replayed, err := a.command(c, status, once, do)
	if err != nil {
		return err
	}
	return a.say(c, answer, replayed)
}

func (a *API) command(c call, status int, once *command.Once, do func(command.Tx) (result, error)) (command.Answer, bool, error) {
	return a.commands.Run(c.ctx(), c.who, once, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		done, err := do(tx)
		if err != nil {
			return command.Answer{}, uuid.Nil, err
		}
		body, err := json.Marshal(done.view)
		if err != nil {
			return command.Answer{}, uuid.Nil, fmt.Errorf("show the result: %w", err)
		}
		return command.Answer{Status: status, Body: body, Object: done.object}, done.wake, nil
	})
}

// say answers with a command's answer. One that was forgotten is what its object is by now.
func (a *API) say(c call, answer command.Answer, replayed bool) error {
	sayReplayed(c, replayed)
	if answer.IsForgotten {
		return a.showNow(c, answer.Object)
	}
	if answer.Status == http.StatusNoContent {
		return c.NoContent(answer.Status)
	}
	if answer.Status == http.StatusCreated {
		collection, _, _ := strings.Cut(c.Path(), "/:")
		c.Response().Header().Set("Location", collection+"/"+answer.Object.String())
	}
	return c.Blob(answer.Status, "application/json", answer.Body)
}

func sayReplayed(c call, replayed bool) {
	if replayed {
		c.Response().Header().Set(replayedHeader, "true")
	}
}

// showNow answers as the object's own GET does, and with the policy, the hours or the limits alone where that is what was changed.
func (a *API) showNow(c call, object uuid.UUID) error {
	show := map[string]func(call) error{
		"accounts": a.getAccount, "people": a.getPerson, "suppressions": a.getSuppression, "templates": a.getTemplate, "imports": a.getImport, "sequences": a.getSequence, "enrolments": a.getEnrolment, "messages": a.getMessage, "sends": a.getSend, "retries": a.getRun(bulk.Retry), "approvals": a.getRun(bulk.Approval), "installs": a.getInstall,
		"incidents": a.getIncident, "instance": a.getInstance, "workspace": a.getWorkspace, "workspace/policy": a.getPolicy,
		"accounts/:id/hours": a.getHours, "accounts/:id/limits": a.getLimits,
	}
	of := strings.TrimPrefix(c.Path(), "/v1/")
	if show[of] == nil {
		of, _, _ = strings.Cut(of, "/")
	}
	if show[of] == nil {
		return showJSON(c, http.StatusOK, map[string]uuid.UUID{"id": object})
	}
	c.SetParamNames("id")
	c.SetParamValues(object.String())
	return show[of](c)
}

// readOnce reads the request's key: nil when it has none. Its scope is the principal, the method and the full path; its
// payload is the body, however it is written: see package key.
func readOnce(c call, body []byte) (*command.Once, error) {
	if len(c.Request().Header.Values(keyHeader)) == 0 {
		return nil, nil
	}
	canonical, err := key.Canonical(body)
	if err != nil {
		return nil, problem.New(problem.InvalidJSON, "the body has no canonical form: %v", err)
	}
	payload := sha256.Sum256(canonical)
	return keyed(c, payload[:])
}

// keyed is readOnce for a payload whose hash is known.
func keyed(c call, payload []byte) (*command.Once, error) {
	keys := c.Request().Header.Values(keyHeader)
	if len(keys) == 0 {
		return nil, nil
	}
	name, ok := unquote(strings.TrimSpace(keys[0]))
	if !ok || len(keys) > 1 {
		return nil, problem.New(problem.KeyInvalid, "send one key of 1 to %d printable ASCII characters, quoted or bare", config.IdempotencyKeyMax)
	}
	route := c.Request().Method + " " + strings.ToLower(c.Request().URL.Path)
	return &command.Once{Route: route, Key: name, Payload: payload}, nil
}

// unquote reads a key in the form of a structured field's string, or bare. Both mean the same.
func unquote(key string) (string, bool) {
	if len(key) > 1 && key[0] == '"' && key[len(key)-1] == '"' {
		key = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(key[1 : len(key)-1])
	}
	if key == "" || len(key) > config.IdempotencyKeyMax {
		return "", false
	}
	for _, b := range []byte(key) {
		if b < ' ' || b > '~' {
			return "", false
		}
	}
	return key, true
}

// readCommand reads the body and the key of a command.
func readCommand(c call, in any) (*command.Once, error) {
	body, err := readJSON(c, in)
	if err != nil {
		return nil, err
	}
	return readOnce(c, body)
}

// clientRelease is the release of the program that asks: the field, else the header.
func clientRelease(c call, field string) string {
	if field != "" {
		return field
	}
	return c.Request().Header.Get("X-Client-Release")
}
