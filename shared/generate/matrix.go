package main

import (
	"fmt"
	"strings"

	"sendonce/server/rule"
)

// matrix is the same picture for eyes without a renderer: who may make each move, from the row's status to the column's.
func matrix() string {
	var out strings.Builder
	for i, actor := range rule.Actors() {
		fmt.Fprintf(&out, "%d %s  ", i+1, actor)
	}
	fmt.Fprintf(&out, ". no such move\n\n%-12s %-9s", "from \\ to", "start")
	for _, to := range rule.Statuses() {
		fmt.Fprintf(&out, "  %-*s", len(to), to)
	}
	out.WriteString("\n")
	for _, from := range rule.Statuses() {
		line := fmt.Sprintf("%-12s %-9s", from, startWord(from))
		for _, to := range rule.Statuses() {
			line += fmt.Sprintf("  %-*s", len(to), whoMay(from, to))
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

func startWord(status rule.Status) string {
	switch {
	case !status.AdmitsStart(true):
		return "none"
	case !status.AdmitsStart(false):
		return "recorded"
	}
	return "either"
}

// whoMay lists the actors of a move by their numbers.
func whoMay(from, to rule.Status) string {
	who := ""
	for i, actor := range rule.Actors() {
		if rule.Allowed(from, to, actor, from.AdmitsStart(true)) {
			who += fmt.Sprint(i + 1)
		}
	}
	if who == "" {
		return "."
	}
	return who
}
