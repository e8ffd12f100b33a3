package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sendonce/server/config"
)

// kind is what a value of a frame may be.
type kind int

const (
	text kind = iota
	integer
	flag
	digest
	word
	list
	object
	choice
)

// shape is the form of one value, as data; extension/core/shapes.js has the same. Which fields matter follows from kind.
type shape struct {
	kind     kind
	min, max int64 // of text and lists in code points and items, of integers in value
	words    []string
	of       *shape // the items of a list
	fields   fields
	by       string            // of a choice: the field whose word picks the case
	cases    map[string]fields // of a choice
	orNull   bool
}

type field struct {
	name  string
	shape shape
}

type fields []field

func (f fields) find(name string) (shape, bool) {
	i := slices.IndexFunc(f, func(one field) bool { return one.name == name })
	if i < 0 {
		return shape{}, false
	}
	return f[i].shape, true
}

// fault says what is wrong with a frame, and where: Field is a path like "accounts[0].slug", or "" when it is no object.
type fault struct{ Field, Text string }

// unknownFieldRunes keeps a stranger's field name from making the answer longer than a frame's field may be.
const unknownFieldRunes = config.FieldPathRunesMax / 2

var (
	digestText = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	wholeText  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	null       = []byte("null")
)

// check holds one JSON value against its shape. It goes down as deep as the shape does and no deeper, so that a frame of
// brackets costs no stack.
func (s shape) check(raw json.RawMessage, path string) *fault {
	if s.orNull && bytes.Equal(raw, null) {
		return nil
	}
	switch s.kind {
	case object, choice:
		members, bad := membersOf(raw, path)
		if bad != nil {
			return bad
		}
		return s.checkMembers(members, path, nil)
	case list:
		return s.checkItems(raw, path)
	default:
		if wrong := s.scalarFault(raw); wrong != "" {
			return &fault{path, wrong}
		}
		return nil
	}
}

// membersOf refuses a member that stands there twice, here or deeper: of one that is null the second time, encoding/json
// keeps the first in a struct and the second in a map, so that one value would be checked and another one used. Half a
// surrogate pair, which a page may cut off, is no fault.
func membersOf(raw json.RawMessage, path string) (map[string]json.RawMessage, *fault) {
	var members map[string]json.RawMessage
	if err := strict.Unmarshal(raw, &members, jsontext.AllowInvalidUTF8(true)); err != nil || members == nil {
		return nil, &fault{path, "must be an object, with each member once"}
	}
	return members, nil
}

// checkMembers holds an object's members against the shape's fields, and those of head.
func (s shape) checkMembers(members map[string]json.RawMessage, path string, head fields) *fault {
	wanted := append(slices.Clone(head), s.fields...)
	if s.kind == choice {
		var chosen string
		_ = json.Unmarshal(members[s.by], &chosen) // what is no text picks no case
		picked, known := s.cases[chosen]
		if !known {
			return &fault{join(path, s.by), "must be one of " + strings.Join(sortedKeys(s.cases), ", ")}
		}
		wanted = append(append(wanted, field{s.by, shape{kind: word, words: []string{chosen}}}), picked...)
	}
	for _, name := range sortedKeys(members) {
		if _, known := wanted.find(name); !known {
			// Our own frames hold no NUL either.
			name = strings.ReplaceAll(name, "\x00", "\uFFFD")
			// One without a name is shown as JSON spells it: "" says that no field is wrong.
			return &fault{join(path, shortened(cmp.Or(name, `""`), unknownFieldRunes)), "is not a field of this frame"}
		}
	}
	for _, one := range wanted {
		raw, there := members[one.name]
		if !there {
			return &fault{join(path, one.name), "is missing"}
		}
		if bad := one.shape.check(raw, join(path, one.name)); bad != nil {
			return bad
		}
	}
	return nil
}

func (s shape) checkItems(raw json.RawMessage, path string) *fault {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return &fault{path, "must be a list"}
	}
	if int64(len(items)) > s.max {
		return &fault{path, fmt.Sprintf("must have at most %d items", s.max)}
	}
	for i, item := range items {
		if bad := s.of.check(item, fmt.Sprintf("%s[%d]", path, i)); bad != nil {
			return bad
		}
	}
	return nil
}

func (s shape) scalarFault(raw json.RawMessage) string {
	if s.kind == flag {
		if t := string(raw); t != "true" && t != "false" {
			return "must be true or false"
		}
		return ""
	}
	if s.kind == integer {
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if !wholeText.Match(raw) || err != nil || n < s.min || n > s.max {
			return fmt.Sprintf("must be a whole number from %d to %d", s.min, s.max)
		}
		return ""
	}
	var value string
	if bytes.Equal(raw, null) || json.Unmarshal(raw, &value) != nil {
		return "must be text"
	}
	switch {
	case s.kind == digest && !digestText.MatchString(value):
		return "must be sha256: and 64 lower-case hex digits"
	case s.kind == word && !slices.Contains(s.words, value):
		return "must be one of " + strings.Join(s.words, ", ")
	case s.kind == text:
		return s.textFault(value)
	}
	return ""
}

func (s shape) textFault(value string) string {
	if n := int64(utf8.RuneCountInString(value)); n < s.min || n > s.max {
		return fmt.Sprintf("must have %d to %d characters", s.min, s.max)
	}
	// Postgres keeps no NUL in a text: such a frame would be refused for ever, as if the database did not answer.
	if strings.ContainsRune(value, 0) {
		return "must not hold the character NUL"
	}
	return ""
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// shortened cuts a text to a number of code points.
func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
