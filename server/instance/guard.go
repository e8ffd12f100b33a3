package instance

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"sendonce/server/config"
)

// Store is what the guard needs of the database. *postgres.Store implements it.
type Store interface {
	// InstanceLook reads the database as it is, and whether one of the events is missing in it.
	InstanceLook(ctx context.Context, events []int64) (Seen, error)
	// InstanceBegin notes where an empty database lives. Another server may have done it first.
	InstanceBegin(ctx context.Context) error
	// InstanceDisarm lets it hold fire. It changes nothing where it does already.
	InstanceDisarm(ctx context.Context, code Code) error
	// InstanceWatch holds every connection that is made from now on against what the witness remembers then.
	InstanceWatch(witness *Witness)
}

// Guard holds the database against what this server remembers of it, and writes down what it remembers.
type Guard struct {
	store   Store
	data    string
	log     *slog.Logger
	witness *Witness
}

// Begin looks at the database before anything is leased. data is the data folder; isPrivate says that the database lives
// in it.
func Begin(ctx context.Context, store Store, data string, isPrivate bool, log *slog.Logger) (*Guard, error) {
	note, err := ReadNote(data)
	if err != nil {
		return nil, err
	}
	var folder uint64
	if isPrivate {
		if folder, err = FolderMark(data); err != nil {
			return nil, err
		}
	}
	var events []int64
	if note != nil {
		events = note.Events
		note.IsCopied = folder != 0 && note.Folder != 0 && note.Folder != folder
	}
	seen, err := store.InstanceLook(ctx, events)
	if err != nil {
		return nil, fmt.Errorf("look at the database: %w", err)
	}
	if (seen.Home == Home{}) && seen.Newest == 0 {
		if err := store.InstanceBegin(ctx); err != nil {
			return nil, fmt.Errorf("begin the database's history: %w", err)
		}
	}
	g := &Guard{store: store, data: data, log: log}
	if err := g.holdFire(ctx, seen, Judge(seen, note)); err != nil {
		return nil, err
	}
	// The database has what was found out, for good; from now on the folder speaks for this database.
	g.witness = NewWitness(remembered(seen, note, folder))
	if err := g.note(); err != nil {
		return nil, err
	}
	store.InstanceWatch(g.witness)
	return g, nil
}

// remembered goes on from the note where nothing speaks against the database, and anew where something does.
func remembered(seen Seen, note *Memory, folder uint64) Memory {
	if note == nil || note.Epoch != seen.Epoch || Judge(seen, note) != "" {
		return memoryOf(seen, folder)
	}
	memory := *note
	memory.Folder = folder
	return memory
}

func (g *Guard) holdFire(ctx context.Context, seen Seen, code Code) error {
	if seen.ArmedAt == nil {
		g.log.WarnContext(ctx, "this database holds fire until an admin arms it", "code", seen.Code, "why", seen.Code.Text())
		return nil
	}
	if code == "" {
		return nil
	}
	if err := g.store.InstanceDisarm(ctx, code); err != nil {
		return fmt.Errorf("let the database hold fire: %w", err)
	}
	g.log.ErrorContext(ctx, "this database holds fire from now on, until an admin arms it", "code", code, "why", code.Text())
	return nil
}

// Run looks again and again, and writes down what was acknowledged meanwhile, until ctx ends.
func (g *Guard) Run(ctx context.Context) {
	ticker := time.NewTicker(config.InstanceLookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := g.look(ctx); err != nil && ctx.Err() == nil {
			g.log.WarnContext(ctx, "the database could not be looked at", "error", err)
		}
		if err := g.note(); err != nil {
			g.log.ErrorContext(ctx, "what this server remembers of its database is not written down", "error", err)
		}
	}
}

// Close writes down the last that was acknowledged. Nothing may be acknowledged after it.
func (g *Guard) Close() error { return g.note() }

// look is the net under the look at each new connection: behind a pooler the database changes under an old one.
func (g *Guard) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, config.StatementWithin)
	defer cancel()
	memory := g.witness.Memory()
	seen, err := g.store.InstanceLook(ctx, memory.Events)
	if err != nil {
		return err
	}
	if code := Judge(seen, &memory); code != "" && seen.ArmedAt != nil {
		return g.holdFire(ctx, seen, code)
	}
	g.witness.rebase(seen)
	return nil
}

func (g *Guard) note() error {
	memory := g.witness.takeChanged()
	if memory == nil {
		return nil
	}
	return WriteNote(g.data, *memory)
}
