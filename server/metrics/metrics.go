// Package metrics is what dashboards and alarms read at /metrics, in the text format of Prometheus. Counters are moves that
// this server made since it began; gauges are read from the database when they are asked for, by bounded queries. No label
// holds anything of a person, a message, an account or a workspace.
package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"sendonce/server/send"
)

// namespace begins the name of everything that is ours.
const namespace = "sendonce"

// Metrics counts what this server does.
type Metrics struct {
	registry *prometheus.Registry
	leases   *prometheus.CounterVec
	starts   *prometheus.CounterVec
	reports  *prometheus.CounterVec
	swept    *prometheus.CounterVec
}

// New counts from zero.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		leases:   counters("leases_total", "Leases that were asked for, by what came of it.", "result"),
		starts:   counters("starts_total", "Starts that were asked for: started, error, or the code of the refusal.", "result"),
		reports:  counters("reports_total", "Reports of senders, repeated ones too, by the outcome's code, or error.", "code"),
		swept:    counters("swept_total", "Rows that this server's sweep has settled; requeues are sends made after a rate limit.", "what"),
	}
	m.registry.MustRegister(m.leases, m.starts, m.reports, m.swept, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.Swept(send.Swept{}) // so that each stands at 0 before it first happens
	return m
}

func counters(name, help, label string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, []string{label})
}

// Swept counts what one sweep has settled.
func (m *Metrics) Swept(s send.Swept) {
	for what, number := range map[string]int{
		"leases": s.Leases, "deadlines": s.Deadlines, "requeues": s.Requeued, "expired": s.Expired,
	} {
		m.swept.WithLabelValues(what).Add(float64(number))
	}
}
