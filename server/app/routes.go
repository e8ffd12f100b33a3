package app

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/api"
	"sendonce/server/command"
	"sendonce/server/gateway"
	"sendonce/server/install"
	"sendonce/server/web"
)

// socketPath is where installs connect.
const socketPath = "/v1/installs/socket"

func (a *App) routes(rest *api.API, sockets *gateway.Gateway, _ *access.Service, _ *command.Runner, _ *install.Service) http.Handler {
	e := web.New(web.Options{Log: a.log, Hosts: a.hosts(), Page: web.WriteProblem})
	rest.Routes(e)
	e.GET(socketPath, func(c echo.Context) error {
		sockets.Serve(c.Response(), c.Request(), c.RealIP())
		return nil
	})
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
