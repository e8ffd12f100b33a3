package metrics

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sendonce/server/config"
)

// Access is who may read. The numbers are those of all workspaces, so an API token of one of them is none for these.
type Access struct {
	// Token opens them to whoever sends it as a bearer. Without one, only a process on the same machine may read.
	Token string
	// BehindProxy: a proxy stands before the server, so that everybody comes from its machine.
	BehindProxy bool
}

// Handler answers with all metrics. One scrape runs at a time.
func (m *Metrics) Handler(access Access) http.Handler {
	all := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 1, Timeout: config.RequestWithin, ErrorHandling: promhttp.ContinueOnError})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !access.allows(r) {
			http.Error(w, "set SENDONCE_METRICS_TOKEN and send it as Authorization: Bearer", http.StatusForbidden)
			return
		}
		all.ServeHTTP(w, r)
	})
}

func (a Access) allows(r *http.Request) bool {
	if a.Token == "" {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		return err == nil && !a.BehindProxy && net.ParseIP(host).IsLoopback()
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want, got := sha256.Sum256([]byte(a.Token)), sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}
