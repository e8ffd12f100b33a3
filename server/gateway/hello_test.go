package gateway

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"sendonce/server/config"
)

func TestOnlyExtensionsConnect(t *testing.T) {
	t.Parallel()
	_, url, _ := serve(t, newScript(), unhurried)
	for from, want := range map[string]int{
		origin: http.StatusSwitchingProtocols,
		"moz-extension://0f1e2d3c-0f1e-2d3c-4b5a-0f1e2d3c4b5a": http.StatusSwitchingProtocols,
		"https://www.linkedin.com":                             http.StatusForbidden,
		"":                                                     http.StatusForbidden,
		"null":                                                 http.StatusForbidden,
		"chrome-extension://short":                             http.StatusForbidden,
		"https://chrome-extension.example":                     http.StatusForbidden,
	} {
		conn, response, err := websocket.DefaultDialer.Dial(url, http.Header{"Origin": {from}})
		if response == nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if conn != nil {
			conn.Close()
		}
		if response.StatusCode != want {
			t.Errorf("origin %q: %d, want %d", from, response.StatusCode, want)
		}
	}
}

func TestTheWayToAWelcome(t *testing.T) {
	t.Parallel()
	s := newScript()
	_, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.say("pair", "code", "good", "extension_version", "1.0.0")
	if f := p.hears("paired"); f["re"] != "i-1" || f["refresh_secret"] != "secret for 192.0.2.7" {
		t.Errorf("%v", f)
	}
	p.say("token", "install", uuid.New(), "refresh_secret", "secret")
	if f := p.hears("token"); f["access_token"] != "good" || f["refresh_secret"] != "next" || f["expires_in_ms"] != 60000. {
		t.Errorf("%v", f)
	}
	entry := func(token string) map[string]any {
		return map[string]any{"lease_token": token, "attempt": nil, "phase": "asked"}
	}
	f := p.hello(uuid.New(), "open", []any{entry("known"), entry("forged")})
	open := f["open"].([]any)
	if first := open[0].(map[string]any); first["status"] != "started" || first["held"] != true {
		t.Errorf("the known entry: %v", first)
	}
	if second := open[1].(map[string]any); second["status"] != nil || second["held"] != false {
		t.Errorf("the forged entry: %v", second)
	}
	accounts := f["accounts"].([]any)
	if first := accounts[0].(map[string]any); first["account"] != s.account.String() || first["state"] != "ready" {
		t.Errorf("the first account: %v", first)
	}
	if second := accounts[1].(map[string]any); second["member_urn"] != nil || second["state"] != "other_member" {
		t.Errorf("the second account: %v", second)
	}
	p.say("ping")
	p.hears("pong")
	p.say("renew")
	p.hears("renewed")
	p.sayHello(uuid.New(), "good")
	if f := p.hearsError(codeUnknownType); f["field"] != "type" {
		t.Errorf("a second hello: %v", f)
	}
}

func TestWhatEndsAConnectionBeforeItsHello(t *testing.T) {
	t.Parallel()
	s := newScript()
	_, url, _ := serve(t, s, unhurried)
	revoked := uuid.New()
	s.revoked[revoked] = true
	for name, c := range map[string]struct {
		say   func(p *peer)
		error string
		code  int
	}{
		"another frame first": {func(p *peer) { p.say("ping") }, codeHelloFirst, closeProtocol},
		"no frame":            {func(p *peer) { p.sayRaw("hello") }, codeMalformed, closeProtocol},
		"a bad token":         {func(p *peer) { p.sayHello(uuid.New(), "bad") }, codeBadToken, closeBadToken},
		"a revoked install":   {func(p *peer) { p.sayHello(revoked, "good") }, codeRevoked, closeRevoked},
		"a frame too large":   {func(p *peer) { p.sayRaw(`"` + strings.Repeat("x", config.FrameBytesMax) + `"`) }, "", websocket.CloseMessageTooBig},
		"bytes":               {func(p *peer) { _ = p.conn.WriteMessage(websocket.BinaryMessage, []byte("{}")) }, "", closeProtocol},
		"no end of tries": {func(p *peer) {
			for range config.FramesBeforeHelloMax {
				p.say("pair", "code", "bad", "extension_version", "1.0.0")
				p.hearsError(codeBadCode)
			}
		}, "", closeProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := dial(t, url)
			c.say(p)
			if c.error != "" {
				p.hearsError(c.error)
			}
			p.hearsClose(c.code)
		})
	}
}

func TestNoHelloInTime(t *testing.T) {
	t.Parallel()
	_, url, _ := serve(t, newScript(), unhurried)
	began := time.Now()
	dial(t, url).hearsClose(closeNoHello)
	if took := time.Since(began); took < config.HelloWithin {
		t.Errorf("closed after %s, want %s", took, config.HelloWithin)
	}
}

// An install gives a handshake up after 10 s (HANDSHAKE_WITHIN_MS) and asks again with the same secret. A rotation that
// happened after that one would replace the secret it was given, and its next use would look like a copied profile's.
func TestARotationIsGivenUpBeforeTheInstallAsksAgain(t *testing.T) {
	t.Parallel()
	s := newScript()
	_, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.say("token", "install", uuid.New(), "refresh_secret", "secret")
	p.hears("token")
	if within := time.Until(s.tokenUntil); within > 6*time.Second {
		t.Errorf("a rotation may take %s", within)
	}
}

func TestADeadDatabaseClaimsNothing(t *testing.T) {
	t.Parallel()
	s := newScript()
	_, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.hello(uuid.New())
	s.setDown(true)
	p.say("start", "lease_token", "token", "attempt", attemptOne, "digest", someDigest)
	p.hearsError(codeUnavailable)
	p.sayReport()
	p.hearsError(codeUnavailable)
	p.say("gone", "lease_token", "token")
	p.hearsError(codeUnavailable)
	p.say("renew")
	p.hearsError(codeUnavailable)
	p.say("ping")
	p.hears("pong")

	other := dial(t, url)
	other.sayHello(uuid.New(), "good")
	other.hearsError(codeUnavailable)
	other.hearsClose(closeTryAgain)
}

func TestTooManyFrames(t *testing.T) {
	t.Parallel()
	_, url, _ := serve(t, newScript(), unhurried)
	p := dial(t, url)
	p.hello(uuid.New())
	for range config.FramesBurst - 1 { // the hello was the first
		p.say("ping")
		p.hears("pong")
	}
	// The bucket fills slowly meanwhile, so that a few more may pass.
	for range config.FramesBurst {
		p.say("ping")
		_, raw, err := p.conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), codeTooMany) {
			return
		}
	}
	t.Error("no frame was too many")
}
