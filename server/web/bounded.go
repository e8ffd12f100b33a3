package web

import (
	"context"

	"github.com/labstack/echo/v4"

	"sendonce/server/config"
)

// Bounded gives a request the time that it may take. The request is put back before the error handler sees it: that asks
// the request whether its client has left, and the bounded one would always say so by then.
func Bounded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		whole := c.Request()
		ctx, stop := context.WithTimeout(whole.Context(), config.RequestWithin)
		defer func() {
			stop()
			c.SetRequest(whole)
		}()
		c.SetRequest(whole.WithContext(ctx))
		return next(c)
	}
}
