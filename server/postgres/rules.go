package postgres

import (
	"bytes"
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"text/template"

	"github.com/jackc/pgx/v5"

	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/rule"
)

//go:embed rules.sql.tmpl
var rulesTemplate string

// ledgers are never rewritten nor deleted from, but by the removal of a person; keptTables may change, but lose no row.
var (
	ledgers = []string{
		"evidence", "deliveries", "delivery_sends", "send_events", "instance_events", "incident_events", "rejections",
		"policies", "removed_marks", "person_events", "account_limits", "account_hours", "template_versions", "enrolment_events",
	}
	keptTables = []string{
		"messages", "approvals", "incidents", "idempotency_keys", "suppressions", "mark_keys", "templates",
		"sequences", "sequence_steps", "enrolments", "step_messages",
	}
)

// renderRules is the repeatable part of the schema for this program's table of statuses.
func renderRules(serverRole string) (string, error) {
	parsed, err := template.New("rules").Parse(rulesTemplate)
	if err != nil {
		return "", fmt.Errorf("parse rules: %w", err)
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, struct {
		Moves               []rule.Pair
		Statuses            []rule.Status
		Ledgers, KeptTables []string
		RequeuedCodes       []string
		Facts               []incident.Kind
		Pace                []config.PaceDefault
		ServerRole          string
	}{rule.Pairs(), rule.Statuses(), ledgers, keptTables, rule.RequeuedCodes(), incident.Facts(), config.PaceDefaults(), pgx.Identifier{serverRole}.Sanitize()})
	if err != nil {
		return "", fmt.Errorf("render rules: %w", err)
	}
	return out.String(), nil
}

func applyRules(ctx context.Context, db *sql.DB, serverRole string) error {
	rules, err := renderRules(serverRole)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("apply rules: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, rules); err != nil {
		return fmt.Errorf("apply rules: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("apply rules: %w", err)
	}
	return nil
}
