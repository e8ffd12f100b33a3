package people

import (
	"net/mail"
	"strings"
	"unicode/utf8"

	"sendonce/server/config"
	"sendonce/server/problem"
)

// ParseEmail trims and lower-cases one bare mail address. The error is a *problem.Problem about field.
func ParseEmail(field, raw string) (Identity, error) {
	value := strings.ToLower(strings.TrimSpace(raw))
	if !utf8.ValidString(raw) || value == "" || len(value) > config.EmailBytesMax {
		return Identity{}, problem.Field(field, "it is empty, too long or not UTF-8; give one mail address")
	}
	parsed, err := mail.ParseAddress(value)
	if err != nil || parsed.Address != value {
		return Identity{}, problem.Field(field, "it is not one bare mail address like ada@example.com")
	}
	return Identity{Email, value}, nil
}
