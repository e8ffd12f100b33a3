package auth

import (
	"strings"
	"testing"
)

func TestSecretsAreRandomAndFoundByTheirHash(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		value, hash := NewSecret(APITokenPrefix)
		if !strings.HasPrefix(value, "so_") || len(value) != len("so_")+32 {
			t.Fatalf("%d characters, want the prefix and 32", len(value))
		}
		if seen[value] {
			t.Fatal("the same secret twice")
		}
		seen[value] = true
		if !Matches(value, hash) {
			t.Error("a secret does not match its own hash")
		}
		if Matches(value+"x", hash) || Matches("", hash) || Matches(value, nil) {
			t.Error("another secret matches")
		}
	}
}
