package incident

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// Condition is something that holds now, and that is worth an incident.
type Condition struct {
	Kind      Kind
	Workspace uuid.UUID
	Subject   uuid.UUID
	Message   *uuid.UUID
	Account   *uuid.UUID
	Install   *uuid.UUID
	Count     int // sends that it concerns, or 1
}

// Limits are how long something must last before it is worth an incident.
type Limits struct{ DueNotMoving, UnconfirmedTooLong, InstallSilent time.Duration }

// Seen is what a look found at one moment of the database's clock. Open was read before Holding, so that what begins in
// between is never taken for ended.
type Seen struct {
	Now     time.Time
	Open    []Incident // of conditions
	Holding []Condition
	// All: nothing was left out of Holding.
	All bool
}

// Changes is what a look writes.
type Changes struct {
	Open  []Condition
	Count []Counted
	Close []Incident
}

// Counted is an open incident whose condition has grown.
type Counted struct {
	ID    uuid.UUID
	Count int
}

// LookStore runs the look.
type LookStore interface {
	// IncidentLook reads what holds, at most most of it, and writes what decide makes of it, in one transaction of one
	// server at a time. looked is false when another server is at it.
	IncidentLook(ctx context.Context, limits Limits, most int, decide func(Seen) Changes) (looked bool, err error)
	// IncidentsUnlogged marks at most most openings and closings that no server has written to its log, and returns them.
	IncidentsUnlogged(ctx context.Context, most int) (opened, closed []Incident, err error)
}

type episode struct {
	kind    Kind
	subject uuid.UUID
}

// Decide opens what holds and has no incident, closes what no longer holds, and counts what has grown, at most once in
// config.IncidentCountEvery, so that a growing queue does not fill the timeline.
func Decide(s Seen) Changes {
	var changes Changes
	open := map[episode]Incident{}
	for _, one := range s.Open {
		open[episode{one.Kind, one.Subject}] = one
	}
	holds := map[episode]bool{}
	for _, condition := range s.Holding {
		which := episode{condition.Kind, condition.Subject}
		holds[which] = true
		one, is := open[which]
		switch {
		case !is:
			changes.Open = append(changes.Open, condition)
		case condition.Count > one.Count && !s.Now.Before(one.LastAt.Add(config.IncidentCountEvery)):
			changes.Count = append(changes.Count, Counted{one.ID, condition.Count})
		}
	}
	if !s.All {
		return changes // what was not read may well hold
	}
	for _, one := range s.Open {
		if !holds[episode{one.Kind, one.Subject}] {
			changes.Close = append(changes.Close, one)
		}
	}
	return changes
}

// Watch looks again and again, and writes to the log what was opened and closed, by whomever.
type Watch struct {
	store  LookStore
	limits Limits
	every  time.Duration
	log    *slog.Logger
}

// NewWatch panics on a missing part.
func NewWatch(store LookStore, limits Limits, every time.Duration, log *slog.Logger) *Watch {
	if store == nil || limits == (Limits{}) || every <= 0 || log == nil {
		panic("incident.NewWatch: a part is missing")
	}
	return &Watch{store: store, limits: limits, every: every, log: log}
}

// Run looks at once and then again and again until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	ticker := time.NewTicker(w.every)
	defer ticker.Stop()
	for {
		if err := w.Look(ctx); err != nil && ctx.Err() == nil {
			w.log.Error("the look for incidents failed; it is repeated", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Look looks once. Incidents are logged even when the look itself failed: facts are opened by others.
func (w *Watch) Look(ctx context.Context) error {
	_, failed := w.store.IncidentLook(ctx, w.limits, config.IncidentConditionsMax, Decide)
	opened, closed, err := w.store.IncidentsUnlogged(ctx, config.IncidentsLoggedMax)
	if err != nil {
		return errors.Join(failed, fmt.Errorf("log incidents: %w", err))
	}
	for _, one := range opened {
		w.log.Warn("incident opened", idsOf(one)...)
	}
	for _, one := range closed {
		w.log.Info("incident closed", idsOf(one)...)
	}
	return failed
}

func idsOf(one Incident) []any {
	return []any{"kind", one.Kind, "incident", one.ID, "workspace", one.Workspace, "subject", one.Subject}
}
