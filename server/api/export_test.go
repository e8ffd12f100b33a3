package api

import "time"

// Times of a stream in tests, so that none waits a second.
const (
	shortHeartbeat = 50 * time.Millisecond
	shortWrite     = 300 * time.Millisecond
)

// ShortenStreams lets streams beat often and drop a slow reader soon. Call it before anything is served.
func (a *API) ShortenStreams() { a.streams.heartbeat, a.streams.write = shortHeartbeat, shortWrite }
