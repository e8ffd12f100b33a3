package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"sendonce/server/postgres/db"
	"sendonce/server/rule"
)

const guardSearchPath = "search_path=pg_catalog, public, pg_temp"

// What must be there is read out of what makes it, so that no second list can fall behind.
var (
	madeTrigger = regexp.MustCompile(`CREATE (?:OR REPLACE|CONSTRAINT) TRIGGER (\w+) [^;]*? ON (\w+) [^;]*?EXECUTE FUNCTION (\w+)\(\);`)
	// The guards, and what guards and server ask about a person, an account or a time zone.
	madeFunction   = regexp.MustCompile(`(?s)CREATE (?:OR REPLACE )?FUNCTION (\w+)\((\) RETURNS trigger|of_person |of_account |hours |zone )(.*?)AS \$\$(.*?)\$\$;`)
	madeConstraint = regexp.MustCompile(`CONSTRAINT (\w+) CHECK`)
	madeIndex      = regexp.MustCompile(`CREATE UNIQUE INDEX (\w+)`)
	quotedWord     = regexp.MustCompile(`'(\w+)'`)
	guardedMoves   = regexp.MustCompile(`= ANY \('\{([^}]*)\}'::text\[\]\)`)
)

// schemaText is everything that Migrate runs.
func schemaText() (string, error) {
	var out strings.Builder
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return "", err
	}
	for _, file := range files {
		text, err := fs.ReadFile(migrationFiles, file)
		if err != nil {
			return "", err
		}
		out.Write(text)
	}
	rules, err := renderRules(ServerRole)
	out.WriteString(rules)
	return out.String(), err
}

// namesMade lists what the first group of a pattern finds in schemaText.
func namesMade(pattern *regexp.Regexp) ([]string, error) {
	text, err := schemaText()
	var names []string
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names, err
}

func pairTexts() []string {
	var out []string
	for _, pair := range rule.Pairs() {
		out = append(out, string(pair.From)+">"+string(pair.To))
	}
	return slices.Sorted(slices.Values(out))
}

func checkMoves(ctx context.Context, q db.DBTX) ([]Difference, error) {
	rows, err := q.Query(ctx, "SELECT from_status || '>' || to_status FROM public.send_moves")
	if err != nil {
		return nil, err
	}
	table, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	var out []Difference
	if slices.Sort(table); !slices.Equal(table, pairTexts()) {
		out = append(out, Difference{fmt.Sprintf("send_moves holds %v, the rule has %v", table, pairTexts()), remedyMigrate})
	}
	guard, err := textOrEmpty(ctx, q, `SELECT coalesce(max(pg_get_triggerdef(oid)), '') FROM pg_trigger
		WHERE tgrelid = 'public.sends'::regclass AND tgname = 'a_guard'`)
	if err != nil {
		return nil, err
	}
	var guarded []string
	if match := guardedMoves.FindStringSubmatch(guard); match != nil {
		guarded = slices.Sorted(slices.Values(strings.Split(match[1], ",")))
	}
	if !slices.Equal(guarded, pairTexts()) {
		out = append(out, Difference{fmt.Sprintf("the trigger a_guard lets %v pass, the rule has %v", guarded, pairTexts()), remedyMigrate})
	}
	return out, nil
}

func checkConstraints(ctx context.Context, q db.DBTX) ([]Difference, error) {
	names, err := namesMade(madeConstraint)
	if err != nil {
		return nil, err
	}
	out, err := differences(ctx, q, remedyMigrate, `
		SELECT format('the constraint %s is missing or not validated', name) FROM unnest($1::text[]) AS name
		WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conname = name AND connamespace = 'public'::regnamespace AND convalidated)`, names)
	if err != nil {
		return nil, err
	}
	known, err := textOrEmpty(ctx, q, `SELECT coalesce(max(pg_get_constraintdef(oid)), '') FROM pg_constraint
		WHERE conrelid = 'public.sends'::regclass AND conname = 'status_is_known'`)
	if err != nil {
		return nil, err
	}
	var statuses []rule.Status
	for _, match := range quotedWord.FindAllStringSubmatch(known, -1) {
		statuses = append(statuses, rule.Status(match[1]))
	}
	if !slices.Equal(statuses, rule.Statuses()) {
		out = append(out, Difference{fmt.Sprintf("a send may be %v, the rule has %v", statuses, rule.Statuses()), remedyMigrate})
	}
	return out, nil
}

func checkIndexes(ctx context.Context, q db.DBTX) ([]Difference, error) {
	names, err := namesMade(madeIndex)
	if err != nil {
		return nil, err
	}
	return differences(ctx, q, "make it again as the owner: a migration shows how", `
		SELECT format('the unique index %s is missing or not valid', name) FROM unnest($1::text[]) AS name
		WHERE NOT EXISTS (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
			WHERE c.relname = name AND c.relnamespace = 'public'::regnamespace AND i.indisunique AND i.indisvalid)`, names)
}

func checkTriggers(ctx context.Context, q db.DBTX) ([]Difference, error) {
	text, err := schemaText()
	if err != nil {
		return nil, err
	}
	var names, tables, functions []string
	for _, match := range madeTrigger.FindAllStringSubmatch(text, -1) {
		names, tables, functions = append(names, match[1]), append(tables, match[2]), append(functions, match[3])
	}
	return differences(ctx, q, remedyMigrate, `
		SELECT format('the trigger %s on %s is %s', made.name, made.on_table, CASE
			WHEN t.oid IS NULL THEN 'missing'
			WHEN t.tgenabled <> 'A' THEN 'not enabled always'
			ELSE 'not calling ' || made.function END)
		FROM unnest($1::text[], $2::text[], $3::text[]) AS made (name, on_table, function)
		LEFT JOIN pg_trigger t ON t.tgname = made.name AND t.tgrelid = to_regclass('public.' || made.on_table)
		WHERE t.oid IS NULL OR t.tgenabled <> 'A' OR t.tgfoid <> to_regproc('public.' || made.function)`, names, tables, functions)
}

func checkFunctions(ctx context.Context, q db.DBTX) ([]Difference, error) {
	text, err := schemaText()
	if err != nil {
		return nil, err
	}
	newest := map[string][]string{} // a later migration may give a function another body
	for _, match := range madeFunction.FindAllStringSubmatch(text, -1) {
		newest[match[1]] = match
	}
	names := slices.Sorted(maps.Keys(newest))
	bodies, definers := make([]string, len(names)), make([]bool, len(names))
	for i, name := range names {
		made := newest[name]
		bodies[i] = made[4]
		definers[i] = made[2] == ") RETURNS trigger" || strings.Contains(made[3], "SECURITY DEFINER")
	}
	return differences(ctx, q, "make it again as the owner: its migration shows how", `
		SELECT format('the function %s %s', made.name, CASE
			WHEN p.oid IS NULL THEN 'is missing'
			WHEN pg_get_userbyid(p.proowner) <> $3 THEN 'belongs to ' || pg_get_userbyid(p.proowner)
			WHEN p.prosecdef <> made.definer THEN 'does not run as its ' || CASE WHEN made.definer THEN 'owner' ELSE 'caller' END
			WHEN p.proconfig IS DISTINCT FROM ARRAY[$4::text] THEN 'has no pinned search_path'
			ELSE 'has another body' END)
		FROM unnest($1::text[], $2::text[], $5::boolean[]) AS made (name, body, definer)
		LEFT JOIN pg_proc p ON p.oid = to_regproc('public.' || made.name)
		WHERE p.oid IS NULL OR pg_get_userbyid(p.proowner) <> $3 OR p.prosecdef <> made.definer
			OR p.proconfig IS DISTINCT FROM ARRAY[$4::text] OR p.prosrc <> made.body`, names, bodies, OwnerRole, guardSearchPath, definers)
}

func textOrEmpty(ctx context.Context, q db.DBTX, query string) (string, error) {
	var text string
	err := q.QueryRow(ctx, query).Scan(&text)
	return text, err
}
