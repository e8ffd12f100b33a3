// Command generate writes what is derived from shared/statuses.json: the module that the extension loads, since Chrome
// packs only what lies under extension/, and the page of docs that shows the moves. With -check it writes nothing and
// fails when a file on disk differs. Run it from the root of the repository.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"sendonce/server/rule"
	"sendonce/shared"
)

type output struct {
	path string
	make func() ([]byte, error)
}

var outputs = []output{
	{"extension/generated/statuses.js", statusesModule},
	{"docs/states.md", statesPage},
}

func main() {
	check := flag.Bool("check", false, "write nothing; fail when a generated file is out of date")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(check bool) error {
	for _, out := range outputs {
		want, err := out.make()
		if err != nil {
			return fmt.Errorf("make %s: %w", out.path, err)
		}
		if !check {
			if err := os.WriteFile(out.path, want, 0o644); err != nil {
				return fmt.Errorf("write generated file: %w", err)
			}
			continue
		}
		have, err := os.ReadFile(out.path)
		if err != nil {
			return fmt.Errorf("read generated file: %w", err)
		}
		if !bytes.Equal(have, want) {
			return fmt.Errorf("%s differs from shared/statuses.json; run: go run ./shared/generate", out.path)
		}
	}
	return nil
}

func statusesModule() ([]byte, error) {
	var table bytes.Buffer
	if err := json.Indent(&table, bytes.TrimSpace(shared.StatusesJSON), "", "  "); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `// Made from shared/statuses.json by "go run ./shared/generate". Change the table, not this file.

/** Identifies the rules (not their wording) to the server: sha256 over the canonical JSON of the table without "words". */
export const RULES_DIGEST = %q;

/** The table itself. Its meaning stands in core/rule.js. */
export const TABLE = Object.freeze(%s);
`, rule.Digest(), table.String()), nil
}
