package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sendonce/server/rule"
	"sendonce/shared"
)

type page struct {
	Moves []struct {
		From  []string `json:"from"`
		To    string   `json:"to"`
		By    []string `json:"by"`
		Event string   `json:"event"`
	} `json:"moves"`
	Words struct {
		Statuses map[string]struct {
			Label string `json:"label"`
			Text  string `json:"text"`
		} `json:"statuses"`
	} `json:"words"`
}

// statesPage draws the moves of a send and says in words what each status means.
func statesPage() ([]byte, error) {
	var table page
	if err := json.Unmarshal(shared.StatusesJSON, &table); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("# The statuses of a send\n\n" +
		"Made from `shared/statuses.json` by `go run ./shared/generate`. Change the table, not this page.\n\n" +
		"```mermaid\nstateDiagram-v2\n    [*] --> queued\n")
	for _, move := range table.Moves {
		for _, from := range move.From {
			fmt.Fprintf(&out, "    %s --> %s: %s\n", from, move.To, move.Event)
		}
	}
	out.WriteString("```\n\n```\n" + matrix() + "```\n\n| from | to | who may | when |\n|---|---|---|---|\n")
	for _, move := range table.Moves {
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n",
			strings.Join(move.From, ", "), move.To, strings.Join(move.By, ", "), move.Event)
	}
	out.WriteString("\n| status | shown as | what it means |\n|---|---|---|\n")
	for _, status := range rule.Statuses() {
		words, ok := table.Words.Statuses[string(status)]
		if !ok {
			return nil, fmt.Errorf("no words for status %q", status)
		}
		fmt.Fprintf(&out, "| %s | %s | %s |\n", status, words.Label, words.Text)
	}
	return out.Bytes(), nil
}
