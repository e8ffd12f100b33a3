package harness

import (
	"context"
	"net/http"
	"net/url"
)

// Import is an uploaded list as the API shows it: how many of its rows are to come to what, and how many came to what.
type Import struct {
	ID       string         `json:"id"`
	State    string         `json:"state"`
	Verdicts map[string]int `json:"verdicts"`
	Outcomes map[string]int `json:"outcomes"`
}

// ImportRow is one row of a list, with what it is to come to and why.
type ImportRow struct {
	Row     int      `json:"row"`
	Cells   []string `json:"cells"`
	Verdict string   `json:"verdict"`
	Why     string   `json:"why"`
}

// Upload uploads a CSV file, and returns when each row was looked at. Nothing has changed by then.
func (a *API) Upload(ctx context.Context, name, file string) (Import, error) {
	var made Import
	if err := a.request(ctx, http.MethodPost, "/v1/imports?name="+url.QueryEscape(name), "text/csv", []byte(file), &made); err != nil {
		return made, err
	}
	return a.awaitImport(ctx, made.ID, "previewed")
}

// ImportRows are up to 200 rows of a list, in their order.
func (a *API) ImportRows(ctx context.Context, id string) ([]ImportRow, error) {
	var list struct{ Items []ImportRow }
	return list.Items, a.call(ctx, http.MethodGet, "/v1/imports/"+id+"/rows?limit=200", nil, &list)
}

// CarryOut has a list come to what was shown, and returns when it has.
func (a *API) CarryOut(ctx context.Context, id string) (Import, error) {
	if err := a.call(ctx, http.MethodPost, "/v1/imports/"+id+"/start", map[string]any{}, nil); err != nil {
		return Import{}, err
	}
	return a.awaitImport(ctx, id, "done")
}

func (a *API) awaitImport(ctx context.Context, id, state string) (read Import, err error) {
	err = poll(ctx, "the import to be "+state, func() (bool, error) {
		read = Import{}
		err := a.call(ctx, http.MethodGet, "/v1/imports/"+id, nil, &read)
		return read.State == state, err
	})
	return read, err
}

// SuppressPerson has nobody write to a person's slug any more.
func (a *API) SuppressPerson(ctx context.Context, slug, why string) error {
	body := map[string]any{"linkedin": profile(slug), "why": why}
	return a.call(ctx, http.MethodPost, "/v1/suppressions", body, nil)
}
