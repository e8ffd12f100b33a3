package local

import "time"

// Bounds of the private cluster. They stand here and not with the server's settings because nobody tunes them.
const (
	// startWaitMax bounds the wait for the first answer; a recovery after a crash replays at most a few GB of log.
	startWaitMax = 2 * time.Minute
	pingTimeout  = 2 * time.Second
	pollInterval = 25 * time.Millisecond
	// stopWaitMax bounds a clean shutdown, quitWaitMax the immediate one that follows.
	stopWaitMax = 30 * time.Second
	quitWaitMax = 10 * time.Second
	// memoryWaitMax bounds the wait for the backends of a postmaster that was killed: they still hold its memory.
	memoryWaitMax = 15 * time.Second
	initWaitMax   = 2 * time.Minute
	fetchWaitMax  = 5 * time.Minute

	logBytesMax      = 16 << 20
	logTailBytesMax  = 2 << 10
	logCheckInterval = time.Minute

	// socketPathBytesMax is the smallest limit among the systems we run on: macOS 103, Linux 107.
	socketPathBytesMax = 103

	maxConnectionsDefault = 100
	// majorMin: unique constraints that treat nulls as equal came with Postgres 15.
	majorMin = 15
)
