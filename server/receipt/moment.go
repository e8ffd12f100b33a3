package receipt

import (
	"fmt"
	"time"
)

// Moment is a moment as receipts write it: RFC 3339 in UTC with six digits of a second, which is what Postgres keeps.
type Moment time.Time

const momentLayout = "2006-01-02T15:04:05.000000Z"

// String is the one way to write it.
func (m Moment) String() string { return time.Time(m).UTC().Format(momentLayout) }

// MarshalText implements encoding.TextMarshaler.
func (m Moment) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText refuses every other way to write it.
func (m *Moment) UnmarshalText(text []byte) error {
	at, err := time.Parse(momentLayout, string(text))
	if err != nil {
		return fmt.Errorf("a moment is written like %s: %w", momentLayout, err)
	}
	*m = Moment(at)
	return nil
}

// At is t as a moment.
func At(t time.Time) Moment { return Moment(t.UTC()) }

// AtOrNull is nil for nil.
func AtOrNull(t *time.Time) *Moment {
	if t == nil {
		return nil
	}
	m := At(*t)
	return &m
}
