package house

// folderRule says which of our own packages the code of a folder may import. Subfolders have their own rule or fall
// under this one; a folder may always import its own subfolders. Tests may import anything of ours.
type folderRule struct {
	folder string
	may    []string
	why    string
}

// domain is what decides; it is the same whatever stores and carries it.
var domain = []string{
	"server/rule", "server/message", "server/send", "server/people", "server/person", "server/template", "server/imports", "server/csv", "server/sequence", "server/pace", "server/account",
	"server/install", "server/access", "server/auth", "server/command", "server/incident", "server/bulk",
	"server/instance", "server/pause", "server/key", "server/receipt", "server/delivery", "server/callback", "server/event",
}

// base is what every layer of the server may use.
var base = []string{"shared", "server/config", "server/clock", "server/problem", "server/rounds"}

const decides = "domain: it decides without knowing who stores or carries"

var folderRules = []folderRule{
	{"shared", nil, "the table is the ground: it knows nobody"},
	{"shared/generate", []string{"shared", "server/rule"}, "it writes the table's copies, read through the rule"},
	{"server/rule", []string{"shared"}, "the rule is pure: it reads the table and nothing else"},
	{"server/clock", nil, "the clock serves all, so it knows none"},
	{"server/rounds", nil, "work in rounds is of any kind, so it knows none"},
	{"server/problem", []string{"server/rule"}, "every layer refuses in the same words"},
	{"server/config", []string{"server/rule"}, "settings and limits serve all layers"},
	{"server/key", base, "the same key for the server, its command and every client"},
	{"server/message", join(base, domain), decides},
	{"server/send", join(base, domain), decides},
	{"server/people", join(base, domain), decides},
	{"server/person", join(base, domain), decides},
	{"server/template", join(base, domain), decides},
	{"server/imports", join(base, domain), decides},
	{"server/csv", base, "it reads and writes cells, and knows nothing of what stands in them"},
	{"server/sequence", join(base, domain), decides},
	{"server/pace", join(base, domain), decides},
	{"server/account", join(base, domain), decides},
	{"server/install", join(base, domain), decides},
	{"server/access", join(base, domain), decides},
	{"server/command", join(base, domain), decides},
	{"server/incident", join(base, domain), decides},
	{"server/bulk", join(base, domain), decides},
	{"server/instance", join(base, domain), decides},
	{"server/pause", join(base, domain), decides},
	{"server/receipt", join(base, domain), decides},
	{"server/delivery", []string{"server/rule"}, "how far a message came is pure: it folds what was seen"},
	{"server/callback", join(base, domain), decides},
	{"server/event", join(base, domain), decides},
	{"server/auth", join(base, domain), decides},
	{"server/postgres", join(base, domain), "stores what the domain declares; it knows no edge"},
	{"server/postgres/local", nil, "a private cluster is of use without Sendonce's schema"},
	{"server/postgres/pgtest", []string{"server/postgres"}, "test databases need the schema and nothing above it"},
	{"server/gateway", join(base, domain), "an edge speaks to the domain; its stores are handed in"},
	{"server/email", join(base, domain), "a sender speaks to the domain; its stores are handed in"},
	{"server/metrics", join(base, domain), "it counts what the domain does; what it reads is handed in"},
	{"server/web", join(base, domain), "what pages and API share of HTTP"},
	{"server/api", join(base, domain, "server/web", "server/gateway", "server/email"), "an edge: its stores are handed in"},
	{"server/console", join(base, domain, "server/web", "server/gateway", "server/email"), "an edge: its stores are handed in"},
	{"server/sandbox", join(base, domain), "a browser beside the server: it knows its socket and none of its insides"},
	{"server/app", []string{"shared", "server"}, "it builds everything"},
	{"server/app/apptest", []string{"shared", "server", "client"}, "a whole server for tests, and a program that asks it"},
	{"server/agent", join(base, domain, "client"), "a program beside the server: what it asks, it asks over the API"},
	{"server", []string{"server/app", "server/agent", "server/config"}, "main only hands over"},
	{"client", nil, "programs of others use it: it knows the API and nothing of the server"},
	{"extension", nil, "what stands here goes to Chrome"},
	{"parity", []string{"shared", "server", "extension", "house/proof"}, "holds the sides against each other"},
	{"e2e", []string{"shared", "server", "extension"}, "runs the whole product"},
	{"e2e/standin", nil, "the witness shares no code with what it witnesses"},
	{"bench", []string{"shared", "server", "client", "e2e/harness", "house/proof"}, "measures the whole product"},
	{"house", nil, "it reads files, it runs nothing"},
}

// moduleRule says where a module of others may be imported.
type moduleRule struct {
	prefix  string
	folders []string
	inTests bool // any test may import it too
	why     string
}

var moduleRules = []moduleRule{
	{"github.com/jackc/pgx", []string{"server/postgres", "parity", "e2e", "bench"}, true, "one package speaks SQL"},
	{"database/sql", []string{"server/postgres", "parity", "bench"}, true, "one package speaks SQL"},
	{"github.com/pressly/goose", []string{"server/postgres"}, false, "one package migrates"},
	{"github.com/labstack/echo", []string{"server/web", "server/api", "server/console", "server/app"}, false, "HTTP stays at the edge"},
	{"github.com/prometheus", []string{"server/metrics"}, true, "one package counts"},
	{"github.com/gorilla/websocket", []string{"server/gateway", "server/sandbox", "parity", "e2e", "bench"}, true, "each end of the wire speaks websocket once"},
	{"github.com/dop251/goja", []string{"parity", "e2e", "bench"}, true, "JavaScript runs in proofs, not in the server"},
	{"github.com/evanw/esbuild", []string{"parity", "e2e", "bench"}, false, "the extension is not bundled"},
	{"github.com/chromedp", []string{"parity", "e2e", "bench"}, false, "browsers run in proofs, not in the server"},
	{"github.com/fergusstrange/embedded-postgres", []string{"server/postgres/local"}, false, "only fetches Postgres"},
	{"github.com/standard-webhooks", []string{"server/auth"}, false, "one package signs and verifies"},
	{"github.com/valyala/fasttemplate", []string{"server/template"}, false, "one package reads templates"},
	{"golang.org/x/net", []string{"server/people"}, true, "one package reads the domains of mail addresses"},
	{"github.com/santhosh-tekuri/jsonschema", nil, true, "it holds answers against the OpenAPI document: for tests"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"server/agent"}, true, "one package speaks to agents"},
	{"github.com/google/jsonschema-go", []string{"server/agent"}, true, "only tools for agents have schemas"},
	{"github.com/google/go-cmp", nil, true, "it panics on purpose: for tests"},
	{"testing", []string{"server/postgres/pgtest", "server/app/apptest", "parity", "e2e", "bench"}, true, "production code does not test"},
}

func join(lists ...any) []string {
	var all []string
	for _, list := range lists {
		switch list := list.(type) {
		case string:
			all = append(all, list)
		case []string:
			all = append(all, list...)
		}
	}
	return all
}
