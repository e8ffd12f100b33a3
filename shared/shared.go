// Package shared holds the one table of statuses that the server, the extension and the database obey. It only embeds
// the file: what the table means stands in server/rule and extension/core/rule.js.
package shared

import _ "embed"

// StatusesJSON is shared/statuses.json, byte for byte.
//
//go:embed statuses.json
var StatusesJSON []byte
