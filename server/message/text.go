package message

import (
	"crypto/sha256"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"sendonce/server/config"
	"sendonce/server/problem"
)

// CanonicalBody is the text as it is approved and sent, byte for byte: NFC, LF line ends, no white space at the end of a
// line, no blank lines around it, and a space for each no-break space: an editor puts those for spaces of its own accord,
// so that LinkedIn sends both as spaces. What would not survive a message box is refused: control characters (a tab too),
// Unicode's own line and paragraph separators, bytes that are no UTF-8, so many marks on a letter that libraries differ. It is made once, at proposal, and never again.
func CanonicalBody(field, raw string) (string, error) {
	if !utf8.ValidString(raw) {
		return "", problem.Field(field, "it is not valid UTF-8")
	}
	text, err := composed(field, strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ").Replace(raw))
	if err != nil {
		return "", err
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	text = strings.Trim(strings.Join(lines, "\n"), "\n")
	if isBlank(text) {
		return "", problem.Field(field, blank)
	}
	if count := Length(text); count > config.BodyRunesMax {
		return "", problem.Field(field, "it has %d characters, as LinkedIn counts them; %d is the most", count, config.BodyRunesMax)
	}
	if count := strings.Count(text, "\n") + 1; count > config.BodyLinesMax {
		return "", problem.Field(field, "it has %d lines; %d is the most", count, config.BodyLinesMax)
	}
	if r, found := unsendable(strings.ReplaceAll(text, "\n", "")); found {
		return "", problem.Field(field, "it holds the character U+%04X, which a message box would change; remove it", r)
	}
	return text, nil
}

// CanonicalLine is CanonicalBody for one line of up to runesMax characters. Empty is allowed.
func CanonicalLine(field, raw string, runesMax int) (string, error) {
	if !utf8.ValidString(raw) {
		return "", problem.Field(field, "it is not valid UTF-8")
	}
	text, err := composed(field, strings.TrimSpace(raw))
	if err != nil {
		return "", err
	}
	if count := utf8.RuneCountInString(text); count > runesMax {
		return "", problem.Field(field, "it has %d characters; %d is the most", count, runesMax)
	}
	if r, found := unsendable(text); found {
		return "", problem.Field(field, "it holds the character U+%04X; it must be one line of text", r)
	}
	if text != "" && isBlank(text) {
		return "", problem.Field(field, blank)
	}
	return text, nil
}

// CanonicalNote is what a person says in their own words: LF line ends, no control characters but those and tabs. Empty is
// allowed.
func CanonicalNote(field, raw string) (string, error) {
	if !utf8.ValidString(raw) {
		return "", problem.Field(field, "it is not valid UTF-8")
	}
	text := strings.TrimSpace(norm.NFC.String(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(raw)))
	if count := utf8.RuneCountInString(text); count > config.NoteRunesMax {
		return "", problem.Field(field, "it has %d characters; %d is the most", count, config.NoteRunesMax)
	}
	if r, found := unsendable(strings.NewReplacer("\n", "", "\t", "").Replace(text)); found {
		return "", problem.Field(field, "it holds the character U+%04X; remove it", r)
	}
	if text != "" && isBlank(text) {
		return "", problem.Field(field, blank)
	}
	return text, nil
}

// joiner is what the library puts into a row of more than 30 marks when it composes it, and others do not.
const joiner = "\u034f"

// composed is the text in NFC, where every library makes the same of it.
func composed(field, text string) (string, error) {
	made := norm.NFC.String(text)
	if strings.Count(made, joiner) > strings.Count(text, joiner) {
		return "", problem.Field(field, "more than 30 marks stand on one letter; take some away")
	}
	return made, nil
}

const blank = "it is empty, or holds nothing that a reader would see"

// drawnAsNothing though Unicode calls them letters and a symbol: the Hangul fillers and the Braille pattern without a dot.
const drawnAsNothing = "\u115f\u1160\u3164\uffa0\u2800"

// isBlank reports whether a reader would see nothing of it: spaces, formatting characters and marks without their letter.
func isBlank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.M, r) && !strings.ContainsRune(drawnAsNothing, r)
	})
}

func unsendable(text string) (rune, bool) {
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return r, true
		}
	}
	return 0, false
}

// Fold is a text as a reader would call it "the same": NFC, letters without their case, every run of white space (the
// no-break space too) one space, no invisible formatting characters. It is compared and hashed, never sent.
func Fold(text string) string {
	visible := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		// cases.Fold makes of each Cherokee letter the one of the other case.
		if unicode.Is(unicode.Cherokee, r) {
			return unicode.ToUpper(r)
		}
		return r
	}, text)
	return norm.NFC.String(strings.Join(strings.Fields(cases.Fold().String(norm.NFC.String(visible))), " "))
}

// TextHash is the SHA-256 of the folded body, by which the same words are known again on any channel and account.
func TextHash(body string) []byte {
	sum := sha256.Sum256([]byte(Fold(body)))
	return sum[:]
}

// Length is how long a text is as LinkedIn's page counts it: in UTF-16 code units, of which an emoji is two.
func Length(text string) int { return len(utf16.Encode([]rune(text))) }
