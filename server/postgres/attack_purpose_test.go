package postgres_test

import "sendonce/server/rule"

// purposeAttacks have real messages called sent that nobody received. The database of these tests has an account, so it is for
// real messages; what a sandbox's database refuses is tried in server/instance.
var purposeAttacks = []attack{
	{
		name: "a made-up browser among real messages", in: rule.Queued,
		sql:  `INSERT INTO installs (workspace_id, principal_id, secret_hash, extension_version) VALUES ('{workspace}', '{principal}', 'made up', 'sandbox')`,
		code: "SO014", says: "a made-up browser among real messages", hint: "a database of its own",
	},
	{
		name: "a real browser that becomes a made-up one", in: rule.Queued, sql: `UPDATE installs SET extension_version = 'sandbox'`,
		code: "SO014", says: "a made-up browser among real messages", hint: "a database of its own",
	},
	{
		name: "a made-up browser behind a table that says sandbox", in: rule.Queued,
		sql: `CREATE TEMP TABLE instance_purpose AS SELECT 'sandbox' AS purpose;
			INSERT INTO installs (workspace_id, principal_id, secret_hash, extension_version) VALUES ('{workspace}', '{principal}', 'made up', 'sandbox')`,
		code: "SO014", says: "a made-up browser among real messages", hint: "a database of its own",
	},
	{
		name: "a database of real messages made a sandbox's", in: rule.Queued, sql: `INSERT INTO instance_purpose (purpose) VALUES ('sandbox')`,
		code: "SO014", says: "was used for real messages", hint: "an empty database",
	},
	{
		name: "what the database is for, changed", in: rule.Queued, sql: `UPDATE instance_purpose SET purpose = 'sandbox'`,
		code: denied, says: "permission denied for table instance_purpose",
	},
	{
		name: "what the database is for, forgotten", in: rule.Queued, sql: `DELETE FROM instance_purpose`,
		code: denied, says: "permission denied for table instance_purpose",
	},
}
