package client_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"sendonce/client"
	"sendonce/server/app/apptest"
	"sendonce/server/receipt"
)

// membersAreTheServers holds what the package reads against what the server says of a message that was sent, or tried.
func membersAreTheServers(t *testing.T, s *apptest.Server, message string) {
	t.Helper()
	var m, accounts, people, workspace map[string]any
	s.Get("/v1/messages/"+message, &m)
	s.Get("/v1/accounts", &accounts)
	s.Get("/v1/people", &people)
	s.Get("/v1/workspace", &workspace)
	for _, one := range []struct {
		said any
		read any
	}{
		{m, client.Message{}},
		{first(m["sends"]), client.Send{}},
		{first(m["history"]), client.Event{}},
		{m["approval"], client.Approval{}},
		{first(accounts["items"]), client.Account{}},
		{first(people["items"]), client.Person{}},
		{workspace, client.Workspace{}},
		{people, client.Page[client.Person]{}},
	} {
		said, _ := one.said.(map[string]any)
		read := reflect.TypeOf(one.read)
		for i := range read.NumField() {
			name, _, _ := strings.Cut(read.Field(i).Tag.Get("json"), ",")
			if _, ok := said[name]; !ok {
				t.Errorf("%s reads %q, which the server does not say: %v", read, name, said)
			}
		}
	}
}

func first(list any) any {
	if all, ok := list.([]any); ok && len(all) > 0 {
		return all[0]
	}
	return nil
}

// receiptHolds verifies the receipt as whoever is given it would.
func receiptHolds(t *testing.T, s *apptest.Server, message string) {
	t.Helper()
	var published json.RawMessage
	s.Get("/v1/receipt-keys", &published)
	keys, err := receipt.ParseKeys(string(published))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := s.Agent.Receipt(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := receipt.Verify(signed, keys); err != nil || r.Message.ID.String() != message {
		t.Errorf("the receipt of %s is of %s: %v", message, r.Message.ID, err)
	}
}
