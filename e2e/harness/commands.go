package harness

import (
	"context"
	"net/http"
)

// Settled is what a pause met: sends that were taken back before they began, and sends that go on.
type Settled struct {
	TakenBack int `json:"taken_back"`
	Begun     int `json:"begun"`
}

// Pause holds back what a path names: "workspace", "accounts/<id>" or "installs/<id>".
func (a *API) Pause(ctx context.Context, scope string) (Settled, error) {
	var settled Settled
	return settled, a.call(ctx, http.MethodPost, "/v1/"+scope+"/pause", map[string]any{"note": ""}, &settled)
}

// Resume ends a Pause.
func (a *API) Resume(ctx context.Context, scope string) error {
	return a.call(ctx, http.MethodPost, "/v1/"+scope+"/resume", map[string]any{}, nil)
}

// Withdraw takes a message back.
func (a *API) Withdraw(ctx context.Context, id string) error {
	return a.call(ctx, http.MethodPost, "/v1/messages/"+id+"/withdrawal", map[string]any{}, nil)
}

// CheckAgain asks for one more look at an unconfirmed send.
func (a *API) CheckAgain(ctx context.Context, send string) error {
	return a.call(ctx, http.MethodPost, "/v1/sends/"+send+"/check", map[string]any{}, nil)
}

// ResolveUnseen says that an unconfirmed send was not delivered, although its browser has not said that its tab is gone.
func (a *API) ResolveUnseen(ctx context.Context, send, note string) error {
	body := map[string]any{"outcome": "not_delivered", "note": note, "accept_unseen": true}
	return a.call(ctx, http.MethodPost, "/v1/sends/"+send+"/resolution", body, nil)
}

// Instance is what a person looks at before they arm a database.
type Instance struct {
	Epoch    int64  `json:"epoch"`
	Armed    bool   `json:"armed"`
	Code     string `json:"code"` // why it holds fire
	Installs struct {
		Unreported int `json:"unreported"`
		Ahead      int `json:"ahead"`
	} `json:"installs"`
}

// AwaitHoldingFire waits until the database holds fire and every install has said what it remembers.
func (a *API) AwaitHoldingFire(ctx context.Context) (read Instance, err error) {
	err = poll(ctx, "the database to hold fire", func() (bool, error) {
		read = Instance{}
		err := a.call(ctx, http.MethodGet, "/v1/instance", nil, &read)
		return !read.Armed && read.Installs.Unreported == 0, err
	})
	return read, err
}

// Arm lets a database that holds fire send again, as one who saw that epoch and accepts nothing unseen.
func (a *API) Arm(ctx context.Context, epoch int64) error {
	return a.call(ctx, http.MethodPost, "/v1/instance/arming", map[string]any{"epoch": epoch, "accept_unseen": false}, nil)
}

// Installs are the ids of the paired browsers.
func (a *API) Installs(ctx context.Context) (ids []string, err error) {
	var list struct{ Items []struct{ ID string } }
	err = a.call(ctx, http.MethodGet, "/v1/installs", nil, &list)
	for _, install := range list.Items {
		ids = append(ids, install.ID)
	}
	return ids, err
}
