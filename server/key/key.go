package key

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"sendonce/server/config"
)

// hashLength is how many hexadecimal digits of the payload's SHA-256 stand at the end of a key.
const hashLength = 16

var prefixForm = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9._-]{1,%d}$`, config.KeyPrefixMax))

// Make is the Idempotency-Key for asking the payload, a JSON object, once for the item: "<prefix>:<item>:<hash>". The prefix
// says who asks, the item is a stable id of what it is about, like "lead-42/step-1": whoever asks again must know both again.
func Make(prefix, item string, payload []byte) (string, error) {
	if !prefixForm.MatchString(prefix) {
		return "", fmt.Errorf("the prefix must be 1 to %d of A-Z a-z 0-9 . _ -", config.KeyPrefixMax)
	}
	if !utf8.ValidString(item) {
		return "", errors.New("the item is not valid UTF-8")
	}
	item, err := compose(item)
	if err != nil {
		return "", fmt.Errorf("the item: %w", err)
	}
	if item == "" || strings.ContainsFunc(item, unicode.IsControl) {
		return "", errors.New("the item must have a character, and no control character")
	}
	canonical, err := Canonical(payload)
	if err != nil {
		return "", fmt.Errorf("the payload: %w", err)
	}
	hash := sha256.Sum256(canonical)
	made := prefix + ":" + escape(item) + ":" + hex.EncodeToString(hash[:])[:hashLength]
	if len(made) > config.IdempotencyKeyMax {
		return "", fmt.Errorf("the key would have %d characters, %d is the most; take a shorter item", len(made), config.IdempotencyKeyMax)
	}
	return made, nil
}

// plain are the characters of an item that stand for themselves.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/@"

// escape writes every other byte of the item's UTF-8 as %XX: a key is printable ASCII.
func escape(item string) string {
	var out strings.Builder
	for _, b := range []byte(item) {
		if strings.IndexByte(plain, b) < 0 {
			fmt.Fprintf(&out, "%%%02X", b)
			continue
		}
		out.WriteByte(b)
	}
	return out.String()
}
