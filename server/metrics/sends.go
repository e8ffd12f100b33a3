package metrics

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"sendonce/server/rule"
	"sendonce/server/send"
)

// broke is the result of what came to an error.
const broke = "error"

// counted passes everything on, and counts what becomes of leases, starts and reports.
type counted struct {
	send.Installs
	metrics *Metrics
}

// Count wraps what senders ask for.
func (m *Metrics) Count(next send.Installs) send.Installs { return counted{next, m} }

// Lease implements send.Installs.
func (c counted) Lease(ctx context.Context, session send.Session, account uuid.UUID) (*send.Lease, error) {
	lease, err := c.Installs.Lease(ctx, session, account)
	result := string(rule.Leased)
	switch {
	case err != nil:
		result = broke
	case lease == nil:
		result = "nothing_due"
	}
	c.metrics.leases.WithLabelValues(result).Inc()
	return lease, err
}

// Start implements send.Installs.
func (c counted) Start(ctx context.Context, ask send.StartAsk) (send.Started, error) {
	started, err := c.Installs.Start(ctx, ask)
	result := string(rule.Started)
	var refused *send.Refused
	switch {
	case errors.As(err, &refused):
		result = string(refused.Code)
	case err != nil:
		result = broke
	}
	c.metrics.starts.WithLabelValues(result).Inc()
	return started, err
}

// Report implements send.Installs.
func (c counted) Report(ctx context.Context, report send.Report) (send.Recorded, error) {
	recorded, err := c.Installs.Report(ctx, report)
	code := recorded.Code
	switch {
	case err != nil:
		code = broke
	case code == "":
		code = "none" // it settled nothing: a row without an outcome yet
	}
	c.metrics.reports.WithLabelValues(code).Inc()
	return recorded, err
}
