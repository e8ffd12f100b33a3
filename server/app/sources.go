package app

import (
	"log/slog"
	"time"

	"sendonce/server/auth"
	"sendonce/server/callback"
	"sendonce/server/config"
	"sendonce/server/postgres"
)

// SourcesBeside are the sources of a server that may be running, for one short command beside it: with its data folder, whose
// keys seal the secrets.
func SourcesBeside(settings config.Settings, store *postgres.Store, log *slog.Logger) (*callback.Sources, error) {
	keys, err := auth.LoadKeys(settings.Data)
	if err != nil {
		return nil, err
	}
	return sourcesOver(store, keys, log), nil
}

func sourcesOver(store *postgres.Store, keys auth.Keys, log *slog.Logger) *callback.Sources {
	return callback.NewSources(store, auth.NewVault(keys.Refresh), time.Now, log)
}
