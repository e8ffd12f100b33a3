package rule

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gowebpki/jcs"

	"sendonce/shared"
)

type move struct{ from, to Status }

// table is the parsed shared/statuses.json.
type table struct {
	Version  int     `json:"version"`
	Actors   []Actor `json:"actors"`
	Statuses map[Status]struct {
		Start string `json:"start"`
		Live  bool   `json:"live"`
	} `json:"statuses"`
	Moves []struct {
		From  []Status `json:"from"`
		To    Status   `json:"to"`
		By    []Actor  `json:"by"`
		Event string   `json:"event"`
	} `json:"moves"`
	Looks           []Look                 `json:"looks"`
	AnswerKinds     []string               `json:"answer_kinds"`
	Outcomes        []outcomeRow           `json:"outcomes"`
	Boxes           []Box                  `json:"boxes"`
	Finds           []Find                 `json:"finds"`
	Ends            []endRow               `json:"ends"`
	Reasons         []string               `json:"reasons"`
	AccountEffects  []effectRow            `json:"account_effects"`
	RequeuedCodes   []string               `json:"requeued_codes"`
	ConfirmingCodes []string               `json:"confirming_codes"`
	MachineCodes    []string               `json:"machine_codes"`
	Refusals        map[string]Disposition `json:"refusals"`
	Words           words                  `json:"words"`

	moves  map[move]map[Actor]bool
	digest string
}

var theTable = mustParse(shared.StatusesJSON)

// mustParse panics on a table that this package cannot obey: a server must not start with a rule it misreads.
func mustParse(raw []byte) *table {
	t, err := parse(raw)
	if err != nil {
		panic("shared/statuses.json: " + err.Error())
	}
	return t
}

func parse(raw []byte) (*table, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	t := &table{moves: map[move]map[Actor]bool{}}
	if err := decoder.Decode(t); err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	if !slices.Equal(t.Actors, Actors()) {
		return nil, fmt.Errorf("actors are %v, want %v", t.Actors, Actors())
	}
	if len(t.Statuses) != len(Statuses()) {
		return nil, fmt.Errorf("%d statuses, want %d", len(t.Statuses), len(Statuses()))
	}
	for _, s := range Statuses() {
		if _, ok := t.Statuses[s]; !ok {
			return nil, fmt.Errorf("status %q is missing", s)
		}
	}
	if err := t.indexMoves(); err != nil {
		return nil, err
	}
	var err error
	t.digest, err = rulesDigest(raw)
	return t, err
}

func (t *table) indexMoves() error {
	for _, m := range t.Moves {
		for _, from := range m.From {
			if _, known := t.Statuses[from]; !known {
				return fmt.Errorf("move from unknown status %q", from)
			}
			if _, known := t.Statuses[m.To]; !known {
				return fmt.Errorf("move to unknown status %q", m.To)
			}
			by := t.moves[move{from, m.To}]
			if by == nil {
				by = map[Actor]bool{}
				t.moves[move{from, m.To}] = by
			}
			for _, actor := range m.By {
				if !slices.Contains(t.Actors, actor) {
					return fmt.Errorf("move %s to %s by unknown actor %q", from, m.To, actor)
				}
				by[actor] = true
			}
		}
	}
	return nil
}

// rulesDigest covers the rules and not their wording, so that a better sentence does not cut off older installs.
func rulesDigest(raw []byte) (string, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	delete(all, "words")
	rest, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	canonical, err := jcs.Transform(rest)
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// Digest identifies the rules this server obeys, as "sha256:" and 64 hex digits: the same value that the extension
// carries as RULES_DIGEST.
func Digest() string { return theTable.digest }
