package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"sendonce/server/receipt"
)

// getReceipt is the whole story of a message, signed: docs/receipt.md.
func (a *API) getReceipt(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	r, err := a.receipts.Get(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, r)
}

// listReceiptKeys needs no token: whoever holds a receipt may verify it.
func (a *API) listReceiptKeys(c echo.Context) error {
	return showJSON(c, http.StatusOK, list[receipt.PublicKey]{Items: a.receipts.Keys()})
}
