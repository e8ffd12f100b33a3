package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/callback"
	"sendonce/server/delivery"
)

// Callbacks is what providers say of messages. *callback.Service implements it.
type Callbacks interface {
	Verify(ctx context.Context, source uuid.UUID, header http.Header, body []byte) (callback.Source, error)
	Take(ctx context.Context, source callback.Source, events []callback.Event) (callback.Taken, error)
}

type eventRequest struct {
	ID         string        `json:"id"`
	Type       delivery.Kind `json:"type"`
	ProviderID string        `json:"provider_id"`
	At         time.Time     `json:"at"`
	MessageID  uuid.UUID     `json:"message_id"`
	Detail     string        `json:"detail"`
}

// receiveCallback needs no token: the signature over the body, byte for byte, is the proof. It is looked at before anything is
// read out of the body.
func (a *API) receiveCallback(c echo.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	body, err := readBody(c)
	if err != nil {
		return err
	}
	source, err := a.callbacks.Verify(c.Request().Context(), id, c.Request().Header, body)
	if err != nil {
		return err
	}
	var in struct {
		Events []eventRequest `json:"events"`
	}
	if err := parseJSON(c, body, &in); err != nil {
		return err
	}
	events := make([]callback.Event, len(in.Events))
	for i, e := range in.Events {
		events[i] = callback.Event{ID: e.ID, Kind: e.Type, ProviderID: e.ProviderID, Message: e.MessageID, At: e.At, Detail: e.Detail}
	}
	taken, err := a.callbacks.Take(c.Request().Context(), source, events)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, struct {
		Taken int `json:"taken"`
		Known int `json:"known"`
		Kept  int `json:"kept_for_later"`
	}{taken.New, taken.Known, taken.Kept})
}
