package people

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sendonce/server/config"
	"sendonce/server/problem"
)

// ParseEmail trims and lower-cases one bare mail address, in NFC: an address that was typed on another system is the same
// address. The error is a *problem.Problem about field.
func ParseEmail(field, raw string) (Identity, error) {
	value := norm.NFC.String(strings.ToLower(norm.NFC.String(strings.TrimSpace(raw))))
	if !utf8.ValidString(raw) || value == "" || len(value) > config.EmailBytesMax {
		return Identity{}, problem.Field(field, "it is empty, too long or not UTF-8; give one mail address")
	}
	parsed, err := mail.ParseAddress(value)
	if err != nil || parsed.Address != value || strings.ContainsFunc(value, isUnseen) {
		return Identity{}, problem.Field(field, "it is not one bare mail address like ada@example.com")
	}
	return Identity{Email, value}, nil
}

var unseenTables = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
}

// isUnseen: an address that looks like another one would be a second key of the same person. The parser takes any
// character that is not ASCII.
func isUnseen(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unseenTables...) }
