package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sendonce/e2e/harness"
	"sendonce/server/postgres/local"
)

const (
	creators     = 64
	createRounds = 5
	roundLasts   = 2 * time.Second
	replays      = 1000 // of each kind, in turns
	knownKey     = "ada-known"
	// bodyWords make a text of the length of a first message.
	bodyWords = 60
)

// writer is a program that asks over connections it keeps.
type writer struct {
	*world
	client  *http.Client
	account string
}

// turn is one way to write, and how many a second it made in each round.
type turn struct {
	write     func(round, client, n int) error
	perSecond []float64
}

// measureCreates lets messages under keys and bare inserts of as many bytes take turns, on as many connections each. With them, behind
// HTTP: the same insert, and the same rows as a message's with nothing looked at; then the repetition of one key and the read of one
// row by its primary key, over the same HTTP.
func measureCreates(ctx context.Context, w *world, g *goals) (err error) {
	account, err := w.API.Account(ctx, "rita-writer")
	if err != nil {
		return err
	}
	p := &writer{w, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: creators}}, account}
	row, err := p.warmUp(ctx)
	if err != nil {
		return err
	}
	raws, err := connectRaw(ctx, w, creators)
	if err != nil {
		return err
	}
	pool, err := barePool(ctx, w.Data)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, makeInserted); err != nil {
		return fmt.Errorf("make a table for bare inserts: %w", err)
	}
	behind, err := serveBare(pool, insertBare, func(key string) []any { return []any{key, row} })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, behind.Close()) }()
	rows, err := serveRows(ctx, pool)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	over := func(url string) *turn {
		return &turn{write: func(round, client, n int) error {
			_, err := p.create(ctx, url, fmt.Sprintf("ada-%d-%d-%d", round, client, n))
			return err
		}}
	}
	bare := &turn{write: func(round, client, n int) error {
		_, err := raws[client].Exec(ctx, insertBare, fmt.Sprint(round, client, n), row)
		return err
	}}
	bareHTTP, rowsHTTP, keyed := over(behind.url), over(rows.url), over(p.API.URL)
	if err := takeTurns(bare, bareHTTP, rowsHTTP, keyed); err != nil {
		return err
	}
	fmt.Printf("%d connections, rows of %d bytes: %.0f messages under keys a second; %.0f bare durable inserts a second, %.0f behind HTTP; "+
		"%.0f behind HTTP of all rows of a message, unguarded\n",
		creators, len(row), median(keyed.perSecond), median(bare.perSecond), median(bareHTTP.perSecond), median(rowsHTTP.perSecond))
	g.hold("bare inserts against creates under a key", ratio(bare, keyed), insertRatioMax, "x")
	fmt.Printf("  %-46s %8.2f x\n", "bare inserts against unguarded rows over HTTP", ratio(bare, rowsHTTP))
	return p.measureReplays(ctx, g)
}

func takeTurns(turns ...*turn) error {
	for round := range createRounds {
		for _, t := range turns {
			wrote, err := perSecond(func(client, n int) error { return t.write(round, client, n) })
			if err != nil {
				return err
			}
			t.perSecond = append(t.perSecond, wrote)
		}
	}
	return nil
}

// ratio is the median of how many times as many the one made as the other in the same round.
func ratio(one, other *turn) float64 {
	ratios := make([]float64, len(one.perSecond))
	for i := range ratios {
		ratios[i] = one.perSecond[i] / other.perSecond[i]
	}
	return median(ratios)
}

// warmUp makes messages until the database looks as one in use: a plan that was made for empty tables reads all of them. It
// returns as many bytes as one message takes.
func (p *writer) warmUp(ctx context.Context) ([]byte, error) {
	url, err := local.RunningURL(p.Data, "postgres", "sendonce")
	if err != nil {
		return nil, err
	}
	if _, err := p.create(ctx, p.API.URL, knownKey); err != nil {
		return nil, err
	}
	for range 2 { // the second has every connection make its plans anew
		_, err := perSecond(func(client, n int) error {
			_, err := p.create(ctx, p.API.URL, rand.Text())
			return err
		})
		if err == nil {
			err = execOnce(ctx, url, "ANALYZE")
		}
		if err != nil {
			return nil, err
		}
	}
	return createdBytes(ctx, url)
}

// measureReplays asks one after the other, on one connection.
func (p *writer) measureReplays(ctx context.Context, g *goals) error {
	var repeated, read []time.Duration
	for range replays {
		began := time.Now()
		answer, err := p.create(ctx, p.API.URL, knownKey)
		if err != nil {
			return err
		}
		repeated = append(repeated, time.Since(began))
		if answer.Get("Idempotency-Replayed") != "true" {
			return fmt.Errorf("a known key was not replayed: %v", answer)
		}
		began = time.Now()
		if _, err := p.ask(ctx, http.MethodGet, p.API.URL+"/v1/accounts/"+p.account, "", ""); err != nil {
			return err
		}
		read = append(read, time.Since(began))
	}
	fmt.Printf("a known key: p50 %s p99 %s; a read by primary key: p50 %s p99 %s\n",
		percentile(repeated, 50), percentile(repeated, 99), percentile(read, 50), percentile(read, 99))
	g.hold("repetition p50 against a read by primary key", float64(percentile(repeated, 50))/float64(percentile(read, 50)), replayRatioMax, "x")
	return nil
}

// create proposes to the server at url a message to a person of its own, under a key of its own.
func (p *writer) create(ctx context.Context, url, slug string) (http.Header, error) {
	body := fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"%s/in/%s"},"body":"Hello %s,%s","purpose":"first contact"}`,
		p.account, harness.LinkedIn, slug, slug, strings.Repeat(" words", bodyWords))
	return p.ask(ctx, http.MethodPost, url+"/v1/messages", body, slug)
}

func (p *writer) ask(ctx context.Context, method, url, body, key string) (http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+p.API.Token)
	if key != "" {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := p.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %d %s", method, url, response.StatusCode, raw)
	}
	return response.Header, err
}

// createdBytes is as many random bytes as one message under a key takes in its tables: no compression makes them fewer.
func createdBytes(ctx context.Context, url string) ([]byte, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx)
	var size int
	err = conn.QueryRow(ctx, `SELECT ((SELECT avg(pg_column_size(m.*)) FROM messages m) + (SELECT avg(pg_column_size(v.*)) FROM message_versions v)
		+ (SELECT avg(pg_column_size(k.*)) FROM idempotency_keys k WHERE route = 'POST /v1/messages')
		+ (SELECT avg(pg_column_size(p.*)) FROM people p) + (SELECT avg(pg_column_size(i.*)) FROM person_identities i))::int`).Scan(&size)
	row := make([]byte, size)
	rand.Read(row) // never fails
	return row, err
}

// perSecond lets every client do its work, one after the other, for roundLasts.
func perSecond(do func(client, n int) error) (float64, error) {
	var mu sync.Mutex
	var done int
	var failed error
	var group sync.WaitGroup
	began := time.Now()
	for client := range creators {
		group.Go(func() {
			n := 0
			var err error
			for ; err == nil && time.Since(began) < roundLasts; n++ {
				err = do(client, n)
			}
			mu.Lock()
			defer mu.Unlock()
			if done += n; err != nil {
				failed = err
			}
		})
	}
	group.Wait()
	return float64(done) / time.Since(began).Seconds(), failed
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}
