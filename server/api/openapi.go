package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"sendonce/server/api/openapi"
)

// showOpenAPI needs no token: the document holds no secret, and whoever writes a program reads it before they have one.
func (a *API) showOpenAPI(c echo.Context) error {
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, openapi.Document())
}
