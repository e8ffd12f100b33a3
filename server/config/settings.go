package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Settings are what an operator may change, by environment variables. Windows, deadlines and graces are settings so that
// tests can shorten them.
type Settings struct {
	Addr           string
	PublicURL      string
	Data           string
	DatabaseURL    string
	ListenURL      string
	AdminURL       string
	AllowEphemeral bool
	AllowUndurable bool
	LogFormat      string
	MetricsToken   string

	LeaseLasts   time.Duration
	TouchWithin  time.Duration
	AnswerWithin time.Duration
	LookWithin   time.Duration
	Deadline     time.Duration
	SweepEvery   time.Duration
	PollEvery    time.Duration
	Grace        time.Duration
	GraceUnseen  time.Duration

	IncidentsEvery     time.Duration
	DueNotMoving       time.Duration
	UnconfirmedTooLong time.Duration
	InstallSilent      time.Duration
	AnswersKept        time.Duration

	BreakerAfter  int
	BreakerWithin time.Duration

	EventsKept time.Duration

	// Sandbox: the server brings browsers and a LinkedIn of its own, which are made up. No variable sets it.
	Sandbox     bool
	SandboxStep time.Duration
}

// Setting describes one environment variable for `sendonce serve --help`.
type Setting struct {
	Name, Default, About string
	set                  func(*Settings, string) error
}

// All lists every setting in the order in which the help shows them.
func All() []Setting {
	return []Setting{
		text("SENDONCE_ADDR", "127.0.0.1:8080", "where to listen; port 0 picks one and prints it", func(s *Settings) *string { return &s.Addr }),
		text("SENDONCE_PUBLIC_URL", "", "the address people and installs use, when a proxy stands before the server", func(s *Settings) *string { return &s.PublicURL }),
		text("SENDONCE_DATA", "./sendonce-data", "the folder of keys and of the private Postgres", func(s *Settings) *string { return &s.Data }),
		text("DATABASE_URL", "", "an own Postgres, as the server's role; without it a private one is run in the data folder", func(s *Settings) *string { return &s.DatabaseURL }),
		text("SENDONCE_LISTEN_URL", "", "a direct connection for LISTEN, when DATABASE_URL goes through a transaction pooler", func(s *Settings) *string { return &s.ListenURL }),
		text("SENDONCE_ADMIN_URL", "", "used by `sendonce migrate` alone: may create roles and tables", func(s *Settings) *string { return &s.AdminURL }),
		yesNo("SENDONCE_ALLOW_EPHEMERAL_DATA", "keep the private Postgres on a file system that does not outlive the container", func(s *Settings) *bool { return &s.AllowEphemeral }),
		yesNo("SENDONCE_ALLOW_UNDURABLE_DATABASE", "serve on a Postgres that may forget what it committed (fsync off): for tests alone", func(s *Settings) *bool { return &s.AllowUndurable }),
		text("SENDONCE_LOG_FORMAT", "text", "text or json", func(s *Settings) *string { return &s.LogFormat }),
		text("SENDONCE_METRICS_TOKEN", "", "opens /metrics to whoever sends it as a bearer; without it, to this machine alone and only where no SENDONCE_PUBLIC_URL is set", func(s *Settings) *string { return &s.MetricsToken }),
		period("SENDONCE_LEASE_LASTS", "60s", "how long an install may take to ask for the start", func(s *Settings) *time.Duration { return &s.LeaseLasts }),
		period("SENDONCE_TOUCH_WITHIN", "90s", "how long after asking for the start Send may still be pressed", func(s *Settings) *time.Duration { return &s.TouchWithin }),
		period("SENDONCE_ANSWER_WITHIN", "60s", "how long the answer of the delivery request is waited for", func(s *Settings) *time.Duration { return &s.AnswerWithin }),
		period("SENDONCE_LOOK_WITHIN", "60s", "how long the look at the conversation may take", func(s *Settings) *time.Duration { return &s.LookWithin }),
		period("SENDONCE_DEADLINE", "6m", "after the start, when a send without a result becomes unconfirmed", func(s *Settings) *time.Duration { return &s.Deadline }),
		period("SENDONCE_SWEEP_EVERY", "5s", "how often expired leases and passed deadlines are looked for", func(s *Settings) *time.Duration { return &s.SweepEvery }),
		period("SENDONCE_POLL_EVERY", "5s", "how often due sends are looked for when no wake-up came", func(s *Settings) *time.Duration { return &s.PollEvery }),
		period("SENDONCE_GRACE", "10m", "after the deadline, before a person may say that nothing was delivered", func(s *Settings) *time.Duration { return &s.Grace }),
		period("SENDONCE_GRACE_UNSEEN", "24h", "the same when the browser has not said that its tab is gone", func(s *Settings) *time.Duration { return &s.GraceUnseen }),
		period("SENDONCE_INCIDENTS_EVERY", "1m", "how often it is looked for what a person must know", func(s *Settings) *time.Duration { return &s.IncidentsEvery }),
		period("SENDONCE_DUE_NOT_MOVING", "15m", "an incident: a send is due for so long and none of its account begins", func(s *Settings) *time.Duration { return &s.DueNotMoving }),
		period("SENDONCE_UNCONFIRMED_TOO_LONG", "24h", "an incident: a send is unconfirmed for so long", func(s *Settings) *time.Duration { return &s.UnconfirmedTooLong }),
		period("SENDONCE_INSTALL_SILENT", "24h", "an incident: a browser with work or open attempts is not heard of for so long", func(s *Settings) *time.Duration { return &s.InstallSilent }),
		period("SENDONCE_ANSWERS_KEPT", "720h", "how long the answer under an Idempotency-Key is replayed as it was; it may hold message text. Later the same key is answered with what its object is by then", func(s *Settings) *time.Duration { return &s.AnswersKept }),
		number("SENDONCE_BREAKER_AFTER", "3", "how many server errors, rate limits and vanished messages stop an account until a person clears it", func(s *Settings) *int { return &s.BreakerAfter }),
		period("SENDONCE_BREAKER_WITHIN", "6h", "the time in which so many must come", func(s *Settings) *time.Duration { return &s.BreakerWithin }),
		period("SENDONCE_EVENTS_KEPT", "2160h", "how long events stay in the feed; who has not read them by then is told so", func(s *Settings) *time.Duration { return &s.EventsKept }),
		period("SENDONCE_SANDBOX_STEP", "500ms", "in the sandbox, how long the made-up browser takes over each thing that it does", func(s *Settings) *time.Duration { return &s.SandboxStep }),
	}
}

func text(name, initial, about string, field func(*Settings) *string) Setting {
	return Setting{Name: name, Default: initial, About: about, set: func(s *Settings, v string) error {
		*field(s) = v
		return nil
	}}
}

func yesNo(name, about string, field func(*Settings) *bool) Setting {
	return Setting{Name: name, Default: "false", About: about, set: func(s *Settings, v string) error {
		yes, err := strconv.ParseBool(v)
		if err != nil {
			return errors.New(`it must be "true" or "false"`)
		}
		*field(s) = yes
		return nil
	}}
}

func number(name, initial, about string, field func(*Settings) *int) Setting {
	return Setting{Name: name, Default: initial, About: about, set: func(s *Settings, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > breakerAfterMax {
			return fmt.Errorf("it must be a number from 1 to %d", breakerAfterMax)
		}
		*field(s) = n
		return nil
	}}
}

func period(name, initial, about string, field func(*Settings) *time.Duration) Setting {
	return Setting{Name: name, Default: initial, About: about, set: func(s *Settings, v string) error {
		d, err := time.ParseDuration(v)
		if err != nil || d <= 0 {
			return errors.New(`it must be a duration above zero like "90s" or "6m"`)
		}
		*field(s) = d
		return nil
	}}
}

// Load reads the settings from lookup (os.LookupEnv). A variable NAME_FILE names a file that holds the value of NAME.
func Load(lookup func(string) (string, bool)) (Settings, error) { return load(All(), lookup) }

func load(all []Setting, lookup func(string) (string, bool)) (Settings, error) {
	var s Settings
	for _, setting := range all {
		value, err := valueOf(setting, lookup)
		if err != nil {
			return Settings{}, err
		}
		if err := setting.set(&s, value); err != nil {
			return Settings{}, fmt.Errorf("%s is %q: %w", setting.Name, value, err)
		}
	}
	return s, s.validate()
}

func valueOf(setting Setting, lookup func(string) (string, bool)) (string, error) {
	if value, ok := lookup(setting.Name); ok && value != "" {
		return value, nil
	}
	if path, ok := lookup(setting.Name + "_FILE"); ok && path != "" {
		raw, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("%s_FILE: %w", setting.Name, err)
		}
		return strings.TrimSpace(string(raw)), nil
	}
	return setting.Default, nil
}

// validate refuses what would let two copies go out: the attempt must be over, with its answer and its look, before the
// deadline calls it unconfirmed.
func (s Settings) validate() error {
	if sum := s.TouchWithin + s.AnswerWithin + s.LookWithin; sum >= s.Deadline {
		return fmt.Errorf("SENDONCE_TOUCH_WITHIN + SENDONCE_ANSWER_WITHIN + SENDONCE_LOOK_WITHIN is %s and must be less than SENDONCE_DEADLINE, %s", sum, s.Deadline)
	}
	if s.LeaseLasts > leaseLastsMax {
		return fmt.Errorf("SENDONCE_LEASE_LASTS is %s; the database refuses leases above %s", s.LeaseLasts, leaseLastsMax)
	}
	if s.GraceUnseen < s.Grace {
		return errors.New("SENDONCE_GRACE_UNSEEN must not be shorter than SENDONCE_GRACE")
	}
	if s.MetricsToken != "" && len(s.MetricsToken) < MetricsTokenMin {
		return fmt.Errorf("SENDONCE_METRICS_TOKEN must have at least %d characters", MetricsTokenMin)
	}
	if s.LogFormat != "text" && s.LogFormat != "json" {
		return errors.New(`SENDONCE_LOG_FORMAT must be "text" or "json"`)
	}
	return nil
}

// breakerAfterMax bounds what a breaker reads of an account at one time.
const breakerAfterMax = 1000

// leaseLastsMax is the CHECK lease_is_short of the table sends.
const leaseLastsMax = 10 * time.Minute
