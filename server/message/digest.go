package message

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/gowebpki/jcs"
)

// AudienceOne: a message goes to one person. The word stands in the digest so that an approval can never be read as one
// for many.
const AudienceOne = "one person"

// momentLayout is RFC 3339 in UTC with the microseconds that Postgres keeps.
const momentLayout = "2006-01-02T15:04:05.000000Z"

// intent is everything an approval binds to. Its members are stable: programs may compute the digest themselves.
type intent struct {
	Channel    string    `json:"channel"`
	Account    uuid.UUID `json:"account"`
	Person     uuid.UUID `json:"person"`
	Purpose    string    `json:"purpose"`
	Task       *string   `json:"task"`
	Audience   string    `json:"audience"`
	Subject    *string   `json:"subject"`
	Body       string    `json:"body"`
	SendAfter  *string   `json:"send_after"`
	SendBefore *string   `json:"send_before"`
}

// Digest is "sha256:" and the hex SHA-256 of the RFC 8785 canonical JSON of the message's intent with this content.
func Digest(m Target, c Content) (string, error) {
	raw, err := json.Marshal(intent{
		Channel: m.Channel, Account: m.Account, Person: m.Person, Purpose: m.Purpose, Task: m.Task, Audience: AudienceOne,
		Subject: c.Subject, Body: c.Body, SendAfter: moment(c.SendAfter), SendBefore: moment(c.SendBefore),
	})
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	canonical, err := jcs.Transform(raw)
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

func moment(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := t.UTC().Format(momentLayout)
	return &text
}
