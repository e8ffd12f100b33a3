package auth

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"sendonce/server/config"
)

// WebhookSecretPrefix begins a secret of the Standard Webhooks specification; base64 of the key follows.
const WebhookSecretPrefix = "whsec_"

// Why a callback is not believed. Their texts are for who set the provider up.
var (
	ErrUnsigned     = errors.New("send webhook-id, webhook-timestamp and webhook-signature, as Standard Webhooks has them")
	ErrSignedTime   = fmt.Errorf("webhook-timestamp differs by more than %s from this server's clock", config.CallbackClockSlack)
	ErrBadSignature = errors.New("no signature in webhook-signature was made with a secret of this source over this id, time and body")
)

// NewWebhookSecret makes the key of a source.
func NewWebhookSecret() []byte {
	key := make([]byte, keyBytes)
	rand.Read(key) // never fails
	return key
}

// ShowWebhookSecret is the key as providers are given it.
func ShowWebhookSecret(key []byte) string {
	return WebhookSecretPrefix + base64.StdEncoding.EncodeToString(key)
}

// ReadWebhookSecret is the other way round; false when it is no such secret.
func ReadWebhookSecret(value string) ([]byte, bool) {
	encoded, ok := strings.CutPrefix(value, WebhookSecretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	return key, ok && err == nil && len(key) >= config.CallbackSecretBytesMin && len(key) <= config.CallbackSecretBytesMax
}

// VerifyWebhook believes a body that was signed with any of the keys, under its id and at about this time: what is signed is
// id.timestamp.body, byte for byte as it came. The time is held against now here, because the library knows one clock alone.
func VerifyWebhook(keys [][]byte, header http.Header, body []byte, now time.Time) error {
	stamp := header.Get(standardwebhooks.HeaderWebhookTimestamp)
	if stamp == "" || header.Get(standardwebhooks.HeaderWebhookID) == "" || header.Get(standardwebhooks.HeaderWebhookSignature) == "" {
		return ErrUnsigned
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > config.CallbackClockSlack {
		return ErrSignedTime
	}
	for _, key := range keys {
		webhook, err := standardwebhooks.NewWebhookRaw(key)
		if err == nil && webhook.VerifyIgnoringTimestamp(body, header) == nil {
			return nil
		}
	}
	return ErrBadSignature
}
