package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sendonce/bench/scripted"
	"sendonce/house/proof"
	"sendonce/server/postgres/local"
)

const (
	lookEvery = 15 * time.Second
	// disturbEvery is how often a connection of the server to Postgres is cut.
	disturbEvery = 45 * time.Second
	// What may grow between the middle and the end of a soak: shares of what it was.
	memoryGrowthMax, bytesPerRowGrowthMax = 0.15, 0.15
	// goroutineGrowthMax and connectionGrowthMax are numbers: as many come and go.
	goroutineGrowthMax, connectionGrowthMax = 20, 4
	// tableBytesMin: of a smaller table the pages that it begins with are most.
	tableBytesMin = 1 << 20
	// settleWithin is waited for at the end, so that what is under way does not count.
	settleWithin = 20 * time.Second
)

// tables are those that a life writes.
var tables = []string{
	"sends", "send_events", "evidence", "account_slots", "installs", "checks", "messages", "deliveries", "events", "idempotency_keys",
}

// figures is the part of docs/proof.md that a soak writes.
var figures = proof.Part{Name: "soak", Command: "UPDATE=1 make soak"}

// look is what was seen at one moment.
type look struct {
	memory, goroutines, connections float64
	tableBytes, bytesPerRow         map[string]float64
}

// watch looks at a server and the Postgres under it.
type watch struct {
	world *scripted.World
	admin *pgx.Conn
	looks []look
}

func newWatch(ctx context.Context, w *scripted.World) (*watch, error) {
	url, err := local.RunningURL(w.Data, "postgres", "sendonce")
	if err != nil {
		return nil, err
	}
	admin, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect to the server's Postgres: %w", err)
	}
	return &watch{world: w, admin: admin}, nil
}

func (w *watch) close() { w.admin.Close(context.Background()) }

// until looks again and again until ctx ends, and cuts a connection of the server now and then.
func (w *watch) until(ctx context.Context, l *load) error {
	looking, disturbing := time.NewTicker(lookEvery), time.NewTicker(disturbEvery)
	defer looking.Stop()
	defer disturbing.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-disturbing.C:
			if _, err := w.admin.Exec(context.WithoutCancel(ctx), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`); err != nil {
				return fmt.Errorf("cut a connection: %w", err)
			}
			l.faults.Add(1)
		case <-looking.C:
			seen, err := w.look(context.WithoutCancel(ctx))
			if err != nil {
				return err
			}
			w.looks = append(w.looks, seen)
			// A soak under which the load has stopped proves nothing.
			if err := l.trouble(); err != nil {
				return err
			}
			fmt.Printf("%4d lives, %3d faults: %.1f MB, %.0f goroutines, %.0f connections, %.0f bytes a send\n", l.lives.Load(), l.faults.Load(),
				seen.memory/(1<<20), seen.goroutines, seen.connections, seen.bytesPerRow["sends"])
		}
	}
}

func (w *watch) look(ctx context.Context) (look, error) {
	metrics, err := w.scrape(ctx)
	if err != nil {
		return look{}, err
	}
	seen := look{memory: metrics["process_resident_memory_bytes"], goroutines: metrics["go_goroutines"], tableBytes: map[string]float64{}, bytesPerRow: map[string]float64{}}
	if err := w.admin.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()").Scan(&seen.connections); err != nil {
		return look{}, fmt.Errorf("count connections: %w", err)
	}
	for _, table := range tables {
		var bytes, rows float64
		if err := w.admin.QueryRow(ctx, fmt.Sprintf("SELECT pg_table_size('%[1]s')::float8, count(*) FROM %[1]s", table)).Scan(&bytes, &rows); err != nil {
			return look{}, fmt.Errorf("measure %s: %w", table, err)
		}
		seen.tableBytes[table], seen.bytesPerRow[table] = bytes, bytes/max(rows, 1)
	}
	return seen, nil
}

// scrape reads the server's /metrics (Prometheus' text format): the samples without labels.
func (w *watch) scrape(ctx context.Context) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.world.Server.URL()+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("read the metrics: %w", err)
	}
	defer response.Body.Close()
	values := map[string]float64{}
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if number, err := strconv.ParseFloat(value, 64); err == nil {
			values[name] = number
		}
	}
	if values["go_goroutines"] == 0 {
		return nil, fmt.Errorf("read the metrics: %s says no goroutines", response.Status)
	}
	return values, nil
}

// verdict holds the end against the middle: by then everything has been made that a long life needs. It returns what it found as
// rows of a table.
func (w *watch) verdict(ctx context.Context) (rows string, err error) {
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-time.After(settleWithin):
	}
	if len(w.looks) < 6 {
		return "", fmt.Errorf("only %d looks were taken: soak for longer", len(w.looks))
	}
	third := len(w.looks) / 3
	middle, end := w.looks[third:2*third], w.looks[2*third:]
	var grew []error
	hold := func(what string, of func(look) float64, most func(was float64) float64, unit float64, name string) {
		was, is := median(middle, of), median(end, of)
		verdict := "flat"
		if is-was > most(was) {
			verdict = "GREW"
			grew = append(grew, errors.New(what))
		}
		fmt.Printf("  %-34s %9.1f then %9.1f %s: %s\n", what, was/unit, is/unit, name, verdict)
		rows += strings.TrimSpace(fmt.Sprintf("| %s | %.1f | %.1f %s", what, was/unit, is/unit, name)) + " | " + verdict + " |\n"
	}
	share := func(share float64) func(float64) float64 { return func(was float64) float64 { return share * was } }
	number := func(most float64) func(float64) float64 { return func(float64) float64 { return most } }
	hold("memory of the server", func(l look) float64 { return l.memory }, share(memoryGrowthMax), 1<<20, "MB")
	hold("goroutines of the server", func(l look) float64 { return l.goroutines }, number(goroutineGrowthMax), 1, "")
	hold("connections to Postgres", func(l look) float64 { return l.connections }, number(connectionGrowthMax), 1, "")
	for _, table := range tables {
		most := share(bytesPerRowGrowthMax)
		if median(end, func(l look) float64 { return l.tableBytes[table] }) < tableBytesMin {
			most = number(tableBytesMin)
		}
		hold("bytes for each row of "+table, func(l look) float64 { return l.bytesPerRow[table] }, most, 1, "")
	}
	return rows, errors.Join(grew...)
}

func median(of []look, value func(look) float64) float64 {
	values := make([]float64, len(of))
	for i, one := range of {
		values[i] = value(one)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
