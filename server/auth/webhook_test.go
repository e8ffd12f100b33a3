package auth

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// The example that the specification's own libraries are tested with.
const (
	exampleSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	exampleSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	exampleBody      = `{"test": 2432232314}`
)

var exampleTime = time.Unix(1614265330, 0)

func exampleSigned() http.Header {
	return http.Header{
		"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"}, "Webhook-Signature": {exampleSignature},
	}
}

func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	key, ok := ReadWebhookSecret(exampleSecret)
	if !ok {
		t.Fatal("the example's secret cannot be read")
	}
	other := NewWebhookSecret()
	with := func(name, value string) http.Header {
		signed := exampleSigned()
		signed.Set(name, value)
		return signed
	}
	slack := config.CallbackClockSlack
	for name, c := range map[string]struct {
		keys   [][]byte
		signed http.Header
		body   string
		now    time.Time
		want   error
	}{
		"as it was signed":                    {[][]byte{key}, exampleSigned(), exampleBody, exampleTime, nil},
		"by the former of two secrets":        {[][]byte{other, key}, exampleSigned(), exampleBody, exampleTime, nil},
		"beside a signature of another key":   {[][]byte{key}, with("webhook-signature", "v1,AAAA "+exampleSignature), exampleBody, exampleTime, nil},
		"beside one of another scheme":        {[][]byte{key}, with("webhook-signature", "v1a,AAAA "+exampleSignature), exampleBody, exampleTime, nil},
		"as late as may be":                   {[][]byte{key}, exampleSigned(), exampleBody, exampleTime.Add(slack), nil},
		"as early as may be":                  {[][]byte{key}, exampleSigned(), exampleBody, exampleTime.Add(-slack), nil},
		"too late":                            {[][]byte{key}, exampleSigned(), exampleBody, exampleTime.Add(slack + time.Second), ErrSignedTime},
		"from the future":                     {[][]byte{key}, exampleSigned(), exampleBody, exampleTime.Add(-slack - time.Second), ErrSignedTime},
		"no secret":                           {nil, exampleSigned(), exampleBody, exampleTime, ErrBadSignature},
		"another secret":                      {[][]byte{other}, exampleSigned(), exampleBody, exampleTime, ErrBadSignature},
		"another byte of the body":            {[][]byte{key}, exampleSigned(), strings.Replace(exampleBody, "4", "5", 1), exampleTime, ErrBadSignature},
		"white space after the body":          {[][]byte{key}, exampleSigned(), exampleBody + "\n", exampleTime, ErrBadSignature},
		"another id":                          {[][]byte{key}, with("webhook-id", "msg_other"), exampleBody, exampleTime, ErrBadSignature},
		"another time":                        {[][]byte{key}, with("webhook-timestamp", "1614265331"), exampleBody, exampleTime, ErrBadSignature},
		"a signature of another scheme alone": {[][]byte{key}, with("webhook-signature", "v2,"+exampleSignature[3:]), exampleBody, exampleTime, ErrBadSignature},
		"no time":                             {[][]byte{key}, with("webhook-timestamp", ""), exampleBody, exampleTime, ErrUnsigned},
		"no number":                           {[][]byte{key}, with("webhook-timestamp", "now"), exampleBody, exampleTime, ErrSignedTime},
		"no id":                               {[][]byte{key}, with("webhook-id", ""), exampleBody, exampleTime, ErrUnsigned},
		"no signature":                        {[][]byte{key}, with("webhook-signature", ""), exampleBody, exampleTime, ErrUnsigned},
	} {
		if err := VerifyWebhook(c.keys, c.signed, []byte(c.body), c.now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestReadWebhookSecret(t *testing.T) {
	t.Parallel()
	made := NewWebhookSecret()
	if read, ok := ReadWebhookSecret(ShowWebhookSecret(made)); !ok || !bytes.Equal(read, made) {
		t.Error("a secret is not read as it was shown")
	}
	for _, value := range []string{"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_c2hvcnQ=", "whsec_not base64 at all but long enough", "whsec_" + strings.Repeat("AAAA", 30)} {
		if _, ok := ReadWebhookSecret(value); ok {
			t.Errorf("%q is taken for a secret", value)
		}
	}
}

// A secret is opened for its owner alone, under the key that sealed it, also after a newer key was added.
func TestVault(t *testing.T) {
	t.Parallel()
	keys := NewKeys().Refresh
	owner, secret := uuid.New(), NewWebhookSecret()
	id, sealed, err := NewVault(keys).Seal(owner, secret)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, secret) {
		t.Error("the secret stands in clear")
	}
	rotated := NewVault(append(keys, NewKeys().Refresh...))
	if opened, err := rotated.Open(owner, id, sealed); err != nil || !bytes.Equal(opened, secret) {
		t.Errorf("after a newer key: %v", err)
	}
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for name, err := range map[string]error{
		"another owner":   openError(NewVault(keys), uuid.New(), id, sealed),
		"a changed byte":  openError(NewVault(keys), owner, id, changed),
		"a key that went": openError(NewVault(NewKeys().Refresh), owner, id, sealed),
		"cut off":         openError(NewVault(keys), owner, id, sealed[:4]),
	} {
		if err == nil {
			t.Errorf("%s: it was opened", name)
		}
	}
}

func openError(v Vault, owner uuid.UUID, id string, sealed []byte) error {
	_, err := v.Open(owner, id, sealed)
	return err
}
