package console

import (
	"github.com/google/uuid"

	"sendonce/server/bulk"
	"sendonce/server/message"
)

func (s *Console) showRetries(v visit) error {
	page, err := s.runPage(v, bulk.Retry)
	if err != nil {
		return err
	}
	return s.show(v, "retries", "Retry all failed", page)
}

// CanRetryAll reports whether the section is the one of failed messages and the person may decide.
func (s section) CanRetryAll() bool {
	return s.Section == message.NotSent && len(s.Cards) > 0 && s.Cards[0].MayDecide
}

// Key makes one preview of two taps.
func (s section) Key() string { return uuid.NewString() }
