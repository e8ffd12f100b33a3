package local

import (
	"errors"
	"fmt"
)

// ErrEphemeral says that the data folder would be lost with its container or machine, and with it the memory of what
// was sent.
var ErrEphemeral = errors.New("the data folder is on a filesystem that does not last")

func refuseEphemeral(dataDir string) error {
	kind, err := ephemeralKind(dataDir)
	if err != nil {
		return fmt.Errorf("look at the filesystem of SENDONCE_DATA=%s: %w", dataDir, err)
	}
	if kind == "" {
		return nil
	}
	return fmt.Errorf("%w: SENDONCE_DATA=%s is on %s; mount a volume there (docker run -v sendonce-data:%s ...), "+
		"set DATABASE_URL to a Postgres of your own, or set SENDONCE_ALLOW_EPHEMERAL_DATA=true for a trial",
		ErrEphemeral, dataDir, kind, dataDir)
}
