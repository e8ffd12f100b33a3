package app

import (
	"context"

	"sendonce/server/config"
	"sendonce/server/message"
)

// PauseEverything pauses all sending beside a server that may be running, and says what that met.
func PauseEverything(ctx context.Context, settings config.Settings, note string) (string, error) {
	note, err := message.CanonicalLine("note", note, config.PauseNoteRunesMax)
	if err != nil {
		return "", err
	}
	store, err := OpenBeside(ctx, settings)
	if err != nil {
		return "", err
	}
	defer store.Close()
	settled, err := store.PauseEverything(ctx, note)
	return settled.Text(), err
}

// ResumeEverything ends that pause.
func ResumeEverything(ctx context.Context, settings config.Settings) error {
	store, err := OpenBeside(ctx, settings)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.ResumeEverything(ctx)
}
