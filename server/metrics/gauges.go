package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/rule"
)

// Source is what is read when the metrics are asked for. *postgres.Store implements it.
type Source interface {
	SendsLive(ctx context.Context, most int) (map[rule.Status]int, error)
	IncidentsByKind(ctx context.Context) (map[incident.Kind]int, error)
	DatabaseErrors() map[string]uint64
	Connections() (busy, idle, most int)
}

var (
	sendsGauge       = gauge("sends", "Sends that have not ended or are unconfirmed; counting stops at 10,000.", "status")
	incidentsGauge   = gauge("incidents_open", "Open incidents.", "kind")
	databaseUp       = gauge("database_up", "1 when the database answered for this scrape.")
	databaseErrors   = gauge("database_errors_total", "Errors of this server's connections by the class of their SQLSTATE; SO is a guard, none no answer.", "class")
	connectionsGauge = gauge("database_connections", "Connections of this server's pool.", "state")
	installsGauge    = gauge("installs_connected", "Browsers that are connected to this server.")
	readersGauge     = gauge("event_readers", "Requests that wait for events at this server, or stream them.")
)

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// gauges reads its source for each scrape.
type gauges struct {
	source    Source
	connected func() int
	readers   func() int
}

// Watch adds the gauges. connected is how many installs this server holds, readers how many wait for events.
func (m *Metrics) Watch(source Source, connected, readers func() int) {
	m.registry.MustRegister(gauges{source, connected, readers})
}

// Describe implements prometheus.Collector.
func (g gauges) Describe(all chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{sendsGauge, incidentsGauge, databaseUp, databaseErrors, connectionsGauge, installsGauge, readersGauge} {
		all <- one
	}
}

// Collect implements prometheus.Collector. What the database does not answer is left out, and database_up says so.
func (g gauges) Collect(out chan<- prometheus.Metric) {
	is := func(what *prometheus.Desc, value int, labels ...string) {
		out <- prometheus.MustNewConstMetric(what, prometheus.GaugeValue, float64(value), labels...)
	}
	is(installsGauge, g.connected())
	is(readersGauge, g.readers())
	busy, idle, most := g.source.Connections()
	is(connectionsGauge, busy, "busy")
	is(connectionsGauge, idle, "idle")
	is(connectionsGauge, most, "most")
	for class, count := range g.source.DatabaseErrors() {
		out <- prometheus.MustNewConstMetric(databaseErrors, prometheus.CounterValue, float64(count), class)
	}
	ctx, stop := context.WithTimeout(context.Background(), config.ScrapeWithin)
	defer stop()
	sends, err := g.source.SendsLive(ctx, config.ScrapedSendsMax)
	if err != nil {
		is(databaseUp, 0)
		return
	}
	open, err := g.source.IncidentsByKind(ctx)
	if err != nil {
		is(databaseUp, 0)
		return
	}
	is(databaseUp, 1)
	for _, status := range []rule.Status{rule.Queued, rule.Leased, rule.Started, rule.Unconfirmed} {
		is(sendsGauge, sends[status], string(status))
	}
	for _, kind := range incident.Kinds() {
		is(incidentsGauge, open[kind], string(kind))
	}
}
