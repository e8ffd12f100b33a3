package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/api"
	"sendonce/server/auth"
	"sendonce/server/callback"
	"sendonce/server/command"
	"sendonce/server/delivery"
	"sendonce/server/problem"
	"sendonce/server/send"
	"sendonce/server/web"
)

var fuzzedSource = uuid.UUID{3}

// witnessSource is a source with one secret, which notes what it is to keep.
type witnessSource struct {
	callback.SourceStore
	callback.Store
	secret callback.Sealed
	taken  [][]callback.Event
}

func (w *witnessSource) SourceSecrets(context.Context, uuid.UUID, int) (callback.Source, []callback.Sealed, error) {
	return callback.Source{ID: fuzzedSource}, []callback.Sealed{w.secret}, nil
}

func (w *witnessSource) EventsTake(_ context.Context, _ callback.Source, events []callback.Event) (int, error) {
	w.taken = append(w.taken, events)
	return len(events), nil
}

func (w *witnessSource) WaitingAmong(context.Context, uuid.UUID, [][]byte) ([]callback.Waiting, error) {
	return nil, nil
}

type noSends struct{}

func (noSends) Provided(context.Context, send.Provided) error { return nil }

func (noSends) ClaimsOf(context.Context, send.Session, string) (send.LeaseClaims, error) {
	return send.LeaseClaims{}, send.ErrBadLease
}

// Goal: whatever a provider signs, it is kept whole or refused as its fault, by the path of the field; what is kept is of a known
// kind, has a time and is within the bounds of the tables. A body that was changed after it was signed is never read.
func FuzzCallback(f *testing.F) {
	at := time.Now().Add(-time.Hour)
	for _, body := range []string{
		batch(event("evt_1", "delivered", "copy", at, uuid.NewString()), event("", "bounced", "copy", at, "")), batch(), "", "null", `{"events":[{}]}`,
		`{"events":[{"id":"a","id":"b"}]}`, `{"events":[{"type":"sent","provider_id":"\ud83d","at":"2026-01-02T03:04:05Z"}]}`, strings.Repeat(`{"events":[`, 100),
		`{"events":[{"type":"read","provider_id":"\u200b","at":"0000-01-01T00:00:00Z","message_id":null,"detail":"x"}]}`,
		`{"events":[{"type":"bounced","provider_id":"copy","at":"0000-01-01T00:00:00+23:59"}]}`,
	} {
		f.Add([]byte(body), uint16(len(body)))
	}
	vault, key := auth.NewVault(auth.NewKeys().Refresh), auth.NewWebhookSecret()
	witness := &witnessSource{}
	var err error
	if witness.secret.KeyID, witness.secret.Secret, err = vault.Seal(fuzzedSource, key); err != nil {
		f.Fatal(err)
	}
	sources := callback.NewSources(witness, vault, time.Now, slog.New(slog.DiscardHandler))
	e := serveCallbacks(callback.NewService(sources, witness, noSends{}, &woken{}))
	f.Fuzz(func(t *testing.T, body []byte, changed uint16) {
		witness.taken = nil
		answer := postSigned(e, key, body, body)
		switch {
		case answer.Code == 200:
			checkTaken(t, body, witness.taken)
		case len(witness.taken) > 0:
			t.Errorf("%d %s, and it was kept", answer.Code, answer.Body)
		default:
			checkProblem(t, answer)
		}
		if len(body) == 0 {
			return
		}
		other := bytes.Clone(body)
		other[int(changed)%len(other)] ^= 1
		witness.taken = nil
		if answer := postSigned(e, key, body, other); answer.Code != 401 || len(witness.taken) > 0 {
			t.Errorf("changed after it was signed: %d %s", answer.Code, answer.Body)
		}
	})
}

func checkTaken(t *testing.T, body []byte, taken [][]callback.Event) {
	t.Helper()
	if !json.Valid(body) || len(taken) != 1 || len(taken[0]) == 0 {
		t.Fatalf("%q was taken as %v", body, taken)
	}
	for _, e := range taken[0] {
		if !slices.Contains(delivery.Kinds(), e.Kind) || e.ProviderID == "" || e.At.IsZero() || e.At.UTC().Year() < 1 || e.At.After(time.Now().Add(time.Hour)) ||
			len([]rune(e.ID)) > 200 || len([]rune(e.ProviderID)) > 500 || len([]rune(e.Detail)) > 500 ||
			strings.ContainsRune(e.ID+e.ProviderID+e.Detail, 0) {
			t.Errorf("kept %+v", e)
		}
	}
}

func serveCallbacks(callbacks api.Callbacks) *echo.Echo {
	log := slog.New(slog.DiscardHandler)
	e := web.New(web.Options{Log: log, Page: func(c echo.Context, p *problem.Problem) error { return web.WriteProblem(c, p) }})
	w := &witness{}
	ready := func(context.Context) error { return nil }
	runner := command.NewRunner(witnessCommands{w: w}, &woken{})
	api.New(access.NewService(witnessAccess{}), runner, witnessReads{}, witnessReceipts(), witnessInstalls{w: w}, callbacks, noRetries{}, noRetries{}, noRetries{}, struct{ api.Events }{}, ready, log).Routes(e)
	return e
}

// postSigned posts a body with the signature of another.
func postSigned(e *echo.Echo, key, signed, body []byte) *httptest.ResponseRecorder {
	request := httptest.NewRequest("POST", "/v1/callbacks/"+fuzzedSource.String(), bytes.NewReader(body))
	request.Host = "localhost"
	request.Header.Set("Content-Type", "application/json")
	for _, header := range sign(auth.ShowWebhookSecret(key), "msg_1", time.Now(), string(signed)) {
		if name, value, _ := strings.Cut(header, ": "); value != "" {
			request.Header.Set(name, value)
		}
	}
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, request)
	return answer
}
