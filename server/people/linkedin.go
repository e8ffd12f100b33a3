// Package people turns what a stranger types into identities that are keys: one person under one spelling. It looks
// nothing up and guesses nothing: what is no profile is refused.
package people

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sendonce/server/config"
	"sendonce/server/problem"
)

// Kind is what an identity is a name of.
type Kind string

// The kinds of identity that the table person_identities knows.
const (
	LinkedInURN  Kind = "linkedin_urn"
	LinkedInSlug Kind = "linkedin_slug"
	Email        Kind = "email"
)

// Identity is one normalized name of a person on a channel.
type Identity struct {
	Kind  Kind
	Value string
}

const (
	profileURNPrefix = "urn:li:fsd_profile:"
	// decodeRoundsMax: a link that was pasted through two programs is percent-encoded twice. No slug holds a "%".
	decodeRoundsMax = 2
)

var (
	// A profile id is 39 characters and begins with ACo. Unlike a slug it is told apart by capital letters.
	profileID = regexp.MustCompile(`^ACo[A-Za-z0-9_-]{36}$`)
	// Each country has a host of two letters that shows the same profiles.
	profileHost = regexp.MustCompile(`^(?:(?:www|m|mobile|touch|[a-z]{2})\.)?linkedin\.com$`)
	withScheme  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
)

// ParseLinkedIn reads the address of a LinkedIn profile: a whole URL, one without "https://", or "/in/…" alone. The
// identity is a URN when the address holds a profile id, else the slug in lower case. The error is a *problem.Problem
// about field.
func ParseLinkedIn(field, raw string) (Identity, error) {
	refuse := func(what string) (Identity, error) {
		return Identity{}, problem.Field(field, "%s; give the address of a profile, like https://www.linkedin.com/in/ada-example", what)
	}
	text := strings.TrimSpace(raw)
	if !utf8.ValidString(text) || text == "" || utf8.RuneCountInString(text) > config.ProfileURLRunesMax {
		return refuse("it is empty, too long or not UTF-8")
	}
	if IsProfileURN(text) {
		return Identity{LinkedInURN, text}, nil
	}
	path, ok := profilePath(text)
	if !ok {
		return refuse("it is not an address on linkedin.com")
	}
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	for i, segment := range segments {
		if segments[i], ok = decode(segment); !ok {
			return refuse("it is not encoded as an address is")
		}
		if segments[i] == "." || segments[i] == ".." {
			return refuse("it climbs with ..")
		}
	}
	if len(segments) > 0 && segments[0] == "mwlite" { // the old mobile site
		segments = segments[1:]
	}
	if len(segments) < 2 || !strings.EqualFold(segments[0], "in") {
		return refuse("it is not the address of a person's profile")
	}
	// What follows the slug (/details/…, /recent-activity/, a language) is a view of the same profile.
	key := segments[1]
	if profileID.MatchString(key) {
		return Identity{LinkedInURN, profileURNPrefix + key}, nil
	}
	slug := norm.NFC.String(strings.ToLower(norm.NFC.String(key)))
	if !isSlug(slug) {
		return refuse("the name after /in/ is not one that LinkedIn gives")
	}
	return Identity{LinkedInSlug, slug}, nil
}

// IsProfileURN reports whether a text is the URN of one member's profile, and nothing else.
func IsProfileURN(text string) bool {
	id, ok := strings.CutPrefix(text, profileURNPrefix)
	return ok && profileID.MatchString(id)
}

// profilePath cuts scheme, host, query and fragment off.
func profilePath(text string) (string, bool) {
	text, _, _ = strings.Cut(text, "#")
	text, _, _ = strings.Cut(text, "?")
	if strings.ContainsRune(text, '\\') {
		return "", false // browsers read it as a slash, other programs do not
	}
	if scheme := withScheme.FindString(text); scheme != "" {
		if s := strings.ToLower(scheme); s != "https://" && s != "http://" {
			return "", false
		}
		text = text[len(scheme):]
	} else if lower := strings.ToLower(text); strings.HasPrefix(lower, "/in/") || strings.HasPrefix(lower, "in/") {
		return text, true
	}
	host, path, _ := strings.Cut(text, "/")
	return path, profileHost.MatchString(strings.ToLower(host))
}

func decode(segment string) (string, bool) {
	for range decodeRoundsMax {
		if !strings.ContainsRune(segment, '%') {
			break
		}
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return "", false
		}
		segment = decoded
	}
	return segment, utf8.ValidString(segment)
}

// joinsLetters are unseen characters that some scripts and emoji need between two of their own: the joiner and the non-joiner.
const joinsLetters = "\u200c\u200d"

// isSlug takes letters and digits of every script, with their marks, the emoji that some slugs hold, and "-_.". An unseen character is
// taken only behind a letter that needs it: one that was copied along with the address would be a second key of the same person.
func isSlug(slug string) bool {
	if slug == "me" || slug == "" || utf8.RuneCountInString(slug) > config.SlugRunesMax {
		return false // /in/me/ is whoever is signed in
	}
	last := rune(unicode.MaxASCII)
	for _, r := range slug {
		joins := strings.ContainsRune(joinsLetters, r) || unicode.Is(unicode.Variation_Selector, r)
		if isUnseen(r) && !(joins && last > unicode.MaxASCII && !isUnseen(last)) {
			return false
		}
		if !joins && !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So, unicode.Sk) && !strings.ContainsRune("-_.", r) {
			return false
		}
		last = r
	}
	return strings.Trim(slug, ".") != "" && !strings.ContainsRune(joinsLetters, last)
}

// LinkedInThread is the address of a conversation.
func LinkedInThread(id string) string {
	return "https://www.linkedin.com/messaging/thread/" + url.PathEscape(id) + "/"
}

// ProfileURL is the address of the profile that a LinkedIn identity names.
func (i Identity) ProfileURL() string {
	return "https://www.linkedin.com/in/" + strings.TrimPrefix(i.Value, profileURNPrefix)
}
