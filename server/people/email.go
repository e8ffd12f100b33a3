package people

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"sendonce/server/config"
	"sendonce/server/problem"
)

// ParseEmail trims and lower-cases one bare mail address, in NFC, and writes its domain as mail servers look it up: in ASCII, by
// IDNA. An address that was typed on another system, or exported by a program that knows "bücher.example" as
// "xn--bcher-kva.example", is the same address. The error is a *problem.Problem about field.
func ParseEmail(field, raw string) (Identity, error) {
	tooLong := problem.Field(field, "it is empty, too long or not UTF-8; give one mail address")
	text := norm.NFC.String(strings.ToLower(norm.NFC.String(strings.TrimSpace(raw))))
	// In characters first: a domain in its own letters has no more of them than in ASCII.
	if !utf8.ValidString(raw) || text == "" || utf8.RuneCountInString(text) > config.EmailBytesMax {
		return Identity{}, tooLong
	}
	at := strings.LastIndexByte(text, '@') + 1
	domain, err := idna.Lookup.ToASCII(text[at:])
	value := text[:at] + domain
	parsed, notOne := mail.ParseAddress(value)
	if err != nil || notOne != nil || parsed.Address != value || strings.ContainsFunc(value, isUnseen) {
		return Identity{}, problem.Field(field, "it is not one bare mail address like ada@example.com")
	}
	if len(value) > config.EmailBytesMax {
		return Identity{}, tooLong
	}
	return Identity{Email, value}, nil
}

var unseenTables = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
}

// isUnseen: an address that looks like another one would be a second key of the same person. The parser takes any
// character that is not ASCII.
func isUnseen(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unseenTables...) }
