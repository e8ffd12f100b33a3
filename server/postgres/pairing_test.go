package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/rule"
)

func TestAPairingCodeIsUsedOnce(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	code, err := e.NewPairingCode(t.Context(), e.workspace, e.principal)
	if err != nil {
		t.Fatal(err)
	}
	if letters := strings.ReplaceAll(code.Code, "-", ""); len(letters) < 8 || strings.ContainsAny(letters, "01IO") {
		t.Errorf("the code %q is short or ambiguous", code.Code)
	}
	if got := e.text("SELECT count(*)::text FROM pairing_codes WHERE position(convert_to($1, 'UTF8') in code_hash) > 0", code.Code); got != "0" {
		t.Error("the code itself is stored")
	}
	// As a person types it, from two browsers at once.
	typed := " " + strings.ToLower(strings.Replace(code.Code, "-", " ", 1))
	results := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := e.Pair(t.Context(), "192.0.2.1", typed, "1.0.0")
			results <- err
		}()
	}
	first, second := <-results, <-results
	if (first == nil) == (second == nil) || !errors.Is(errors.Join(first, second), install.ErrBadCode) {
		t.Errorf("two uses: %v, %v; want one success and one ErrBadCode", first, second)
	}
}

func TestAPairingCodeExpires(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	code, err := e.NewPairingCode(t.Context(), e.workspace, e.principal)
	if err != nil {
		t.Fatal(err)
	}
	e.exec("UPDATE clock_offset SET ahead = $1", config.PairingCodeLasts+time.Second)
	if _, err := e.Pair(t.Context(), "192.0.2.1", code.Code, "1.0.0"); !errors.Is(err, install.ErrBadCode) {
		t.Errorf("%v, want ErrBadCode", err)
	}
}

func TestWrongCodesAreBoundedPerAddress(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	for range config.PairingTriesPerMin {
		if _, err := e.Pair(t.Context(), "192.0.2.1", "AAAAA-AAAAA", "1.0.0"); !errors.Is(err, install.ErrBadCode) {
			t.Fatalf("%v, want ErrBadCode", err)
		}
	}
	if _, err := e.Pair(t.Context(), "192.0.2.1", "AAAAA-AAAAA", "1.0.0"); !errors.Is(err, install.ErrTooManyTries) {
		t.Errorf("%v, want ErrTooManyTries", err)
	}
	if _, err := e.Pair(t.Context(), "192.0.2.2", "AAAAA-AAAAA", "1.0.0"); !errors.Is(err, install.ErrBadCode) {
		t.Errorf("from elsewhere: %v, want ErrBadCode", err)
	}
}

// Goal: an office pairs all its browsers from one address.
func TestRightCodesAreNotCountedAsGuesses(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	for range config.PairingTriesPerMin + 2 {
		code, err := e.NewPairingCode(t.Context(), e.workspace, e.principal)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Pair(t.Context(), "192.0.2.1", code.Code, "1.0.0"); err != nil {
			t.Fatalf("a right code was refused: %v", err)
		}
	}
}

func TestTheFormerSecretIsGoodUntilItsSuccessorWasUsed(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	paired := e.pair(e.principal)
	e.token(paired.Install, paired.RefreshSecret) // the answer is lost
	second := e.token(paired.Install, paired.RefreshSecret)
	third := e.token(paired.Install, second.RefreshSecret)
	e.token(paired.Install, third.RefreshSecret)
	if _, err := e.Token(t.Context(), paired.Install, "a guess"); !errors.Is(err, install.ErrBadSecret) {
		t.Errorf("a guess: %v, want ErrBadSecret", err)
	}
	if _, err := e.Token(t.Context(), uuid.New(), third.RefreshSecret); !errors.Is(err, install.ErrBadSecret) {
		t.Errorf("another install's: %v, want ErrBadSecret", err)
	}
	if got := e.text("SELECT count(*)::text FROM installs WHERE revoked_at IS NULL"); got != "1" {
		t.Error("a guess revoked the install")
	}
}

// Two browsers with one copied profile: whoever comes with a secret that was replaced and whose successor was used stops
// both, and a person is told.
func TestAReplacedSecretStopsBoth(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]func(e *enrolment, id uuid.UUID, first string) (reused, current string){
		"the former one, after its successor was used": func(e *enrolment, id uuid.UUID, first string) (string, string) {
			second := e.token(id, first)
			third := e.token(id, second.RefreshSecret)
			return first, third.RefreshSecret
		},
		"a successor that another successor replaced": func(e *enrolment, id uuid.UUID, first string) (string, string) {
			lost := e.token(id, first)
			second := e.token(id, first)
			return lost.RefreshSecret, second.RefreshSecret
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnrolment(t)
			paired := e.pair(e.principal)
			reused, current := steps(e, paired.Install, paired.RefreshSecret)
			access := e.token(paired.Install, current)
			before := e.changed.count()
			if _, err := e.Token(t.Context(), paired.Install, reused); !errors.Is(err, install.ErrRevoked) {
				t.Errorf("the copy: %v, want ErrRevoked", err)
			}
			if _, err := e.Token(t.Context(), paired.Install, access.RefreshSecret); !errors.Is(err, install.ErrRevoked) {
				t.Errorf("the original: %v, want ErrRevoked", err)
			}
			ask := install.HelloAsk{AccessToken: access.Access, Install: paired.Install, RulesDigest: rule.Digest()}
			if _, err := e.Hello(t.Context(), ask); !errors.Is(err, install.ErrRevoked) {
				t.Errorf("hello: %v, want ErrRevoked", err)
			}
			if got := e.text("SELECT kind || ' ' || count FROM incidents WHERE install_id = $1", paired.Install); got != "secret_reused 1" {
				t.Errorf("incident %q", got)
			}
			if e.changed.count() == before {
				t.Error("nobody was told to close the socket")
			}
		})
	}
}
