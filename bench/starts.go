package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sendonce/bench/scripted"
)

const (
	rounds        = 5
	livesPerRound = 8 // of each install
	// lifeEvery is the pace of each install. It is far above a recruiter's and far below what the server can do: a queue
	// before a busy server would measure the queue.
	lifeEvery      = 500 * time.Millisecond
	commitsPerLife = 3 // lease, start, report
)

// measureStarts lets the product and the raw commit take turns, with as many clients each and as many commits a second.
func measureStarts(ctx context.Context, w *world, clients int, g *goals) error {
	slugs, err := prepare(ctx, w, clients)
	if err != nil {
		return err
	}
	// Connected only now: an install that says nothing for a minute is closed.
	installs := make([]*scripted.Install, clients)
	for i, slug := range slugs {
		if installs[i], err = scripted.Connect(ctx, w.World, slug); err != nil {
			return err
		}
		defer installs[i].Conn.Close()
		if err := installs[i].Ready(); err != nil {
			return err
		}
	}
	raws, err := connectRaw(ctx, w, clients)
	if err != nil {
		return err
	}
	var product, raw []time.Duration
	for range rounds {
		took, err := together(clients, func(i int) (time.Duration, error) { return rawCommit(ctx, raws[i], i) })
		if err != nil {
			return err
		}
		raw = append(raw, took...)
		if took, err = together(clients, func(i int) (time.Duration, error) { return installs[i].Live() }); err != nil {
			return err
		}
		product = append(product, took...)
	}
	fmt.Printf("%d installs: start to started p50 %s p99 %s; raw durable commit p50 %s p99 %s\n", clients,
		percentile(product, 50), percentile(product, 99), percentile(raw, 50), percentile(raw, 99))
	ratio := float64(percentile(product, 50)) / float64(percentile(raw, 50))
	g.hold(fmt.Sprintf("start p50 against the raw commit, %d installs", clients), ratio, startRatioMax, "x")
	return nil
}

// prepare makes an account for each install, with all the messages that it will send.
func prepare(ctx context.Context, w *world, clients int) ([]string, error) {
	slugs := make([]string, clients)
	for i := range slugs {
		slugs[i] = fmt.Sprintf("recruiter-%d-%d", clients, i)
		account, err := w.API.Account(ctx, slugs[i])
		if err != nil {
			return nil, err
		}
		for n := range rounds * livesPerRound {
			if err := w.Approve(ctx, account, fmt.Sprintf("ada-%s-%d", slugs[i], n)); err != nil {
				return nil, err
			}
		}
	}
	return slugs, nil
}

func connectRaw(ctx context.Context, w *world, clients int) ([]*pgx.Conn, error) {
	conns := make([]*pgx.Conn, clients)
	for i := range conns {
		conn, err := pgx.Connect(ctx, w.rawURL)
		if err != nil {
			return nil, fmt.Errorf("connect: %w", err)
		}
		conns[i] = conn
	}
	return conns, nil
}

// rawCommit makes as many commits as a life and returns how long the first one took: like the start of a life, it comes
// after a pause, in which processors and caches have turned to other work.
func rawCommit(ctx context.Context, conn *pgx.Conn, id int) (took time.Duration, err error) {
	for n := range commitsPerLife {
		began := time.Now()
		if _, err := conn.Exec(ctx, "UPDATE row SET n = n + 1 WHERE id = $1", id); err != nil {
			return 0, err
		}
		if n == 0 {
			took = time.Since(began)
		}
	}
	return took, nil
}

// together lets every client do its work livesPerRound times, each begun lifeEvery after the last. Clients begin one after
// the other, spread over lifeEvery: people do not press their buttons at one moment.
func together(clients int, do func(client int) (time.Duration, error)) ([]time.Duration, error) {
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			<-time.After(lifeEvery * time.Duration(client) / time.Duration(clients))
			pace := time.NewTicker(lifeEvery)
			defer pace.Stop()
			for range livesPerRound {
				<-pace.C
				took, err := do(client)
				mu.Lock()
				if err != nil {
					failed = err
				} else {
					all = append(all, took)
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	group.Wait()
	return all, failed
}

func percentile(of []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[(len(sorted)-1)*percent/100].Round(time.Microsecond)
}
