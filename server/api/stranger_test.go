package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/auth"
)

// Goal: on every route that writes, a body that is none, a stranger's token and another workspace's id are refused alike.
func TestEveryWritingRouteRefusesStrangers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	revoked := s.revokedToken()
	token := s.tokens["admin"]
	tampered := token[:len(token)-1] + string(token[len(token)-1]^1)
	asked := map[string]request{}
	for route, prepare := range writingRoutes {
		asked[route] = prepare(s, "ada-"+strings.Map(onlyLetters, strings.ToLower(route)))
	}
	before := s.rows()
	for route, r := range asked {
		method, pattern, _ := strings.Cut(route, " ")
		huge := r.body[:len(r.body)-1] + strings.Repeat(" ", 2<<20) + "}"
		for _, c := range []struct {
			what, body string
			headers    []string
			status     int
			code       string
		}{
			{"2 MB", huge, nil, 413, "body_too_large"},
			{"form", "a=b", []string{"Content-Type: application/x-www-form-urlencoded"}, 415, "unsupported_media_type"},
			{"no type", r.body, []string{"Content-Type: "}, 415, "unsupported_media_type"},
			{"list", "[]", nil, 400, "invalid_json"},
			{"null", "null", nil, 400, "invalid_json"},
			{"text", `"x"`, nil, 400, "invalid_json"},
			{"half", r.body[:len(r.body)-1], nil, 400, "invalid_json"},
			{"two", r.body + "{}", nil, 400, "invalid_json"},
			{"a mark before it", "\ufeff" + r.body, nil, 400, "invalid_json"},
			{"no token", r.body, []string{"Authorization: "}, 401, "unauthenticated"},
			{"tampered token", r.body, []string{"Authorization: Bearer " + tampered}, 401, "unauthenticated"},
			{"revoked token", r.body, []string{"Authorization: Bearer " + revoked}, 401, "unauthenticated"},
			{"a key that is not ASCII", r.body, []string{"Idempotency-Key: é"}, 400, "idempotency_key_invalid"},
		} {
			a := s.ask(method, r.path, c.body, append([]string{s.as("admin"), "Idempotency-Key: k"}, c.headers...)...)
			if a.Status != c.status || a.text("code") != c.code {
				t.Errorf("%s, %s: %d %s, want %d %s", route, c.what, a.Status, a.Body, c.status, c.code)
			}
		}
		if !strings.Contains(pattern, ":id") {
			continue
		}
		for _, path := range []string{r.path, strings.Replace(r.path, idIn(r.path), uuid.NewString(), 1), strings.Replace(r.path, idIn(r.path), "7", 1)} {
			if a := s.ask(method, path, r.body, s.as("stranger"), "Idempotency-Key: k"); a.Status != 404 || a.text("code") != "not_found" {
				t.Errorf("%s by a stranger: %d %s", route, a.Status, a.Body)
			}
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("refused requests changed the rows from %s to %s", before, after)
	}
}

func onlyLetters(r rune) rune {
	if r < 'a' || r > 'z' {
		return -1
	}
	return r
}

// idIn is the id in a path like /v1/messages/<id>/approval.
func idIn(path string) string { return strings.Split(path, "/")[3] }

// revokedToken is a token of the admin that is good no longer.
func (s *server) revokedToken() string {
	s.t.Helper()
	token, err := s.access.CreateToken(s.t.Context(), "admin", "")
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = s.admin.Exec(s.t.Context(), `UPDATE api_tokens SET revoked_at = sendonce_now() WHERE token_hash = $1`, auth.Hash(token))
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}
