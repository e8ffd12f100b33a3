package app

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"sendonce/server/api"
	"sendonce/server/console"
	"sendonce/server/gateway"
	"sendonce/server/metrics"
	"sendonce/server/web"
)

// socketPath is where installs connect.
const socketPath = "/v1/installs/socket"

// routes is everything that the server answers: REST and the socket under /v1, pages for people beside it.
func (a *App) routes(rest *api.API, pages *console.Console, sockets *gateway.Gateway, counts *metrics.Metrics) http.Handler {
	e := web.New(web.Options{Log: a.log, Hosts: a.hosts(), Page: pages.Problem})
	rest.Routes(e)
	pages.Routes(e)
	e.GET(socketPath, func(c echo.Context) error {
		sockets.Serve(c.Response(), c.Request(), c.RealIP())
		return nil
	})
	e.GET("/metrics", echo.WrapHandler(counts.Handler(metrics.Access{Token: a.settings.MetricsToken, BehindProxy: a.settings.PublicURL != ""})))
	return e
}

// hosts are the names beside the loopback ones that the server answers for.
func (a *App) hosts() []string {
	public, err := url.Parse(a.settings.PublicURL)
	if err != nil || public.Hostname() == "" {
		return nil
	}
	return []string{public.Hostname()}
}
