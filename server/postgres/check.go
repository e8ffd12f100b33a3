package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"sendonce/server/postgres/db"
)

// A Difference is one thing in which a database is not what this program relies on, and what to do about it.
type Difference struct{ What, Remedy string }

// CheckError lists everything that Check found.
type CheckError struct{ Differences []Difference }

func (e *CheckError) Error() string {
	var out strings.Builder
	out.WriteString("the database is not as this program needs it:")
	for _, d := range e.Differences {
		fmt.Fprintf(&out, "\n- %s; %s", d.What, d.Remedy)
	}
	return out.String()
}

// CheckOptions are the allowances of Check.
type CheckOptions struct {
	// AllowUndurable passes over fsync and full_page_writes, for a cluster whose data nobody needs: that of the tests.
	AllowUndurable bool
}

// Remedies that several differences share.
const (
	remedyMigrate = "run: sendonce migrate"
	remedyRole    = "serve as a role of its own, which sendonce migrate makes, and take that away from it"
)

// Check compares the database with what this program relies on, as the role that will serve: the schema's version, the
// rule and its guards, what the role may not do, and durability. It changes nothing. A difference gives a *CheckError that
// names all of them.
func Check(ctx context.Context, q db.DBTX, options CheckOptions) error {
	version, err := checkVersion(ctx, q)
	if err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	if len(version) > 0 {
		return &CheckError{version} // every other difference would follow from this one
	}
	checks := []func(context.Context, db.DBTX) ([]Difference, error){
		checkMoves, checkConstraints, checkIndexes, checkTriggers, checkFunctions, checkRole, checkPrivileges, checkPlace, checkPermanence,
	}
	if !options.AllowUndurable {
		checks = append(checks, checkDurability)
	}
	var all []Difference
	for _, check := range checks {
		found, err := check(ctx, q)
		if err != nil {
			return fmt.Errorf("check the database: %w", err)
		}
		all = append(all, found...)
	}
	if len(all) > 0 {
		return &CheckError{all}
	}
	return nil
}

func checkVersion(ctx context.Context, q db.DBTX) ([]Difference, error) {
	want, err := newestMigration()
	if err != nil {
		return nil, err
	}
	var migrated bool
	if err := q.QueryRow(ctx, "SELECT to_regclass('public.goose_db_version') IS NOT NULL").Scan(&migrated); err != nil {
		return nil, err
	}
	if !migrated {
		return []Difference{{"it has no schema of Sendonce", remedyMigrate}}, nil
	}
	var have int64
	if err := q.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM public.goose_db_version WHERE is_applied").Scan(&have); err != nil {
		return nil, err
	}
	what := fmt.Sprintf("its schema has version %d, this program needs %d", have, want)
	switch {
	case have < want:
		return []Difference{{what, remedyMigrate}}, nil
	case have > want:
		return []Difference{{what, "run the newer program that migrated it"}}, nil
	}
	return nil, nil
}

func newestMigration() (int64, error) {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return 0, err
	}
	var newest int64
	for _, file := range files {
		version, err := goose.NumericComponent(path.Base(file))
		if err != nil {
			return 0, err
		}
		newest = max(newest, version)
	}
	return newest, nil
}

// differences turns each row of a one-column query into a difference.
func differences(ctx context.Context, q db.DBTX, remedy, query string, args ...any) ([]Difference, error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	whats, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	var out []Difference
	for _, what := range whats {
		out = append(out, Difference{what, remedy})
	}
	return out, nil
}

// checkRole asks what the role is: each of these would let it lift the guards, if by a detour.
func checkRole(ctx context.Context, q db.DBTX) ([]Difference, error) {
	return differences(ctx, q, remedyRole, `
		SELECT format('the role %s %s', current_user, what) FROM (
			SELECT 'is a superuser' AS what FROM pg_roles WHERE rolname = current_user AND rolsuper
			UNION ALL SELECT 'may make roles' FROM pg_roles WHERE rolname = current_user AND rolcreaterole
			UNION ALL SELECT 'is a member of ' || rolname FROM pg_roles WHERE rolname <> current_user
				AND rolname = ANY (ARRAY[$1, 'pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program'])
				AND pg_has_role(current_user, oid, 'member')
			UNION ALL SELECT 'is the tables'' owner' WHERE current_user = $1
			UNION ALL SELECT 'owns the database, or is a member of its owner' FROM pg_database
				WHERE datname = current_database() AND pg_has_role(current_user, datdba, 'member')
			UNION ALL SELECT 'owns ' || relname FROM pg_class
				WHERE relnamespace = 'public'::regnamespace AND pg_get_userbyid(relowner) = current_user
			UNION ALL SELECT 'owns ' || proname FROM pg_proc
				WHERE pronamespace = 'public'::regnamespace AND pg_get_userbyid(proowner) = current_user
			UNION ALL SELECT 'may make objects in the schema public' WHERE has_schema_privilege('public', 'CREATE')
		) AS found`, OwnerRole)
}

// checkPrivileges asks what the role was granted beyond what rules.sql.tmpl grants.
func checkPrivileges(ctx context.Context, q db.DBTX) ([]Difference, error) {
	return differences(ctx, q, remedyMigrate, `
		WITH tables AS (
			SELECT oid, relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
		)
		SELECT format('the role %s may %s', current_user, what) FROM (
			SELECT 'change ' || relname AS what FROM tables
				WHERE relname IN ('clock_offset', 'quiet_times', 'send_moves', 'instance', 'event_horizons', 'delivery_told', 'instance_purpose', 'forgetting', 'goose_db_version')
				AND has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
			UNION ALL SELECT 'write the history itself' WHERE has_any_column_privilege('public.send_events', 'INSERT')
				OR has_any_column_privilege('public.incident_events', 'INSERT') OR has_any_column_privilege('public.events', 'INSERT')
				OR has_any_column_privilege('public.person_events', 'INSERT')
			UNION ALL SELECT 'mark somebody as removed who was not' WHERE has_any_column_privilege('public.removed_marks', 'INSERT')
			UNION ALL SELECT 'choose the moment of evidence'
				WHERE has_column_privilege('public.evidence', 'received_at', 'INSERT')
			UNION ALL SELECT 'choose the epoch of an arming'
				WHERE has_column_privilege('public.instance_events', 'epoch', 'INSERT')
			UNION ALL SELECT 'make triggers or foreign keys on ' || relname FROM tables
				WHERE has_table_privilege(oid, 'TRIGGER, REFERENCES')
			UNION ALL SELECT 'call the guard function ' || proname FROM pg_proc
				WHERE pronamespace = 'public'::regnamespace AND prorettype = 'trigger'::regtype
				AND has_function_privilege(oid, 'EXECUTE')
		) AS found`)
}

// checkPlace asks whether server and owner can tell which cluster this is: a copy is known by that.
func checkPlace(ctx context.Context, q db.DBTX) ([]Difference, error) {
	return differences(ctx, q, "as a superuser: GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC", `
		SELECT format('the role %s may not read which cluster this is', role) FROM unnest(ARRAY[current_user::text, $1]) AS role
		WHERE NOT has_function_privilege(role, 'pg_control_system()', 'EXECUTE')`, OwnerRole)
}

func checkPermanence(ctx context.Context, q db.DBTX) ([]Difference, error) {
	return differences(ctx, q, "as the owner: ALTER TABLE ... SET LOGGED", `
		SELECT format('the table %s is lost in a crash', relname) FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relpersistence <> 'p'`)
}

func checkDurability(ctx context.Context, q db.DBTX) ([]Difference, error) {
	return differences(ctx, q, "switch it on in the cluster's configuration: what was acknowledged must survive a power cut", `
		SELECT format('the setting %s is %s', name, setting) FROM pg_settings
		WHERE name IN ('fsync', 'full_page_writes') AND setting <> 'on'`)
}
