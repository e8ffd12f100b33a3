package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"sendonce/bench/scripted"
)

const (
	idleInstalls       = 100
	idleFor            = 60 * time.Second
	connectsForMemory  = 400
	pingEvery          = 20 * time.Second
	kernelTicksPerSec  = 100 // USER_HZ, which Linux has kept at 100 on every architecture we run on
	bytesPerStatusUnit = 1024
)

// measureIdle connects installs that do nothing but ping.
func measureIdle(ctx context.Context, w *world, g *goals) error {
	idle, err := connectIdle(ctx, w, "idle", idleInstalls)
	if err != nil {
		return err
	}
	stopPings := keepPinging(ctx, idle)
	before, err := cpuOf(w.Server.PID())
	if err != nil {
		return err
	}
	fmt.Printf("%d idle installs: looking at the server's CPU for %s ...\n", idleInstalls, idleFor)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(idleFor):
	}
	after, err := cpuOf(w.Server.PID())
	if err != nil {
		return err
	}
	stopPings()
	g.hold(fmt.Sprintf("CPU of the server with %d idle installs", idleInstalls), 100*(after-before).Seconds()/idleFor.Seconds(), idleCPUPercentMax, "% of a core")
	return measureMemory(ctx, w, g)
}

func measureMemory(ctx context.Context, w *world, g *goals) error {
	before, err := residentOf(w.Server.PID())
	if err != nil {
		return err
	}
	more, err := connectIdle(ctx, w, "memory", connectsForMemory)
	if err != nil {
		return err
	}
	after, err := residentOf(w.Server.PID())
	if err != nil {
		return err
	}
	for _, i := range more {
		i.Conn.Close()
	}
	g.hold("memory of an idle connected install", float64(after-before)/connectsForMemory/1024, idleBytesMax/1024, "kB")
	return nil
}

func connectIdle(ctx context.Context, w *world, name string, count int) ([]*scripted.Install, error) {
	installs := make([]*scripted.Install, count)
	for i := range installs {
		slug := fmt.Sprintf("%s-%d", name, i)
		if _, err := w.API.Account(ctx, slug); err != nil {
			return nil, err
		}
		var err error
		if installs[i], err = scripted.Connect(ctx, w.World, slug); err != nil {
			return nil, err
		}
		if err := installs[i].Ready(); err != nil {
			return nil, err
		}
	}
	return installs, nil
}

// keepPinging pings as the extension does, spread over the period. The function it returns stops and waits.
func keepPinging(ctx context.Context, installs []*scripted.Install) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	for n, i := range installs {
		group.Go(func() {
			wait := time.NewTimer(pingEvery * time.Duration(n) / time.Duration(len(installs)))
			defer wait.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-wait.C:
					if i.Say("ping", map[string]any{}) != nil {
						return
					}
					wait.Reset(pingEvery)
				}
			}
		})
	}
	return func() { cancel(); group.Wait() }
}

// cpuOf is the time that a process has spent on a core (proc(5), fields 14 and 15 of stat).
func cpuOf(pid int) (time.Duration, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(raw), ") ") // the name before it may hold spaces
	fields := strings.Fields(rest)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / kernelTicksPerSec, err
}

// residentOf is a process's memory in bytes (proc(5), VmRSS of status).
func residentOf(pid int) (int, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, err := strconv.Atoi(strings.Fields(value)[0])
			return kilobytes * bytesPerStatusUnit, err
		}
	}
	return 0, fmt.Errorf("process %d does not say its memory", pid)
}
