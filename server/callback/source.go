package callback

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/auth"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// Sources are the providers that may call back, and what they prove themselves with.
type Sources struct {
	store SourceStore
	vault auth.Vault
	now   func() time.Time
	log   *slog.Logger
}

// NewSources panics on a missing part.
func NewSources(store SourceStore, vault auth.Vault, now func() time.Time, log *slog.Logger) *Sources {
	if store == nil || now == nil || log == nil {
		panic("callback.NewSources: a part is missing")
	}
	return &Sources{store: store, vault: vault, now: now, log: log}
}

// Create makes a source in the principal's workspace and name. given is the secret that the provider has made, or "" to make one here. The secret is returned only
// when it was made here, and never again.
func (s *Sources) Create(ctx context.Context, who access.Principal, name, given string) (made Source, secret string, err error) {
	name, err = message.CanonicalLine("name", name, config.SourceNameRunesMax)
	if err != nil {
		return Source{}, "", err
	}
	if name == "" {
		return Source{}, "", problem.Field("name", "say which provider it is")
	}
	source := Source{ID: uuid.Must(uuid.NewV7()), Workspace: who.Workspace, Name: name}
	sealed, secret, err := s.seal(source.ID, given)
	if err != nil {
		return Source{}, "", err
	}
	made, isNew, err := s.store.SourceAdd(ctx, source, who.ID, sealed)
	if err != nil {
		return Source{}, "", fmt.Errorf("make the source: %w", err)
	}
	if !isNew {
		return Source{}, "", problem.New(problem.SourceExists, "the workspace has a source of that name; give it a new secret, or choose another name")
	}
	return made, secret, nil
}

// Renew gives a source one more secret, as in Create. The former ones are good for config.CallbackSecretOverlap more.
func (s *Sources) Renew(ctx context.Context, who access.Principal, id uuid.UUID, given string) (of Source, secret string, err error) {
	sealed, secret, err := s.seal(id, given)
	if err != nil {
		return Source{}, "", err
	}
	of, err = s.store.SecretAdd(ctx, who.Workspace, id, sealed, config.CallbackSecretOverlap)
	return of, secret, err
}

// List lists the workspace's sources, the ended ones too.
func (s *Sources) List(ctx context.Context, workspace uuid.UUID) ([]Source, error) {
	return s.store.SourceList(ctx, workspace, config.SourcesShownMax)
}

// End lets nothing more of a source be taken.
func (s *Sources) End(ctx context.Context, who access.Principal, id uuid.UUID) error {
	return s.store.SourceEnd(ctx, who.Workspace, id)
}

func (s *Sources) seal(source uuid.UUID, given string) (sealed Sealed, shown string, err error) {
	key, ok := auth.ReadWebhookSecret(given)
	if given == "" {
		key, ok = auth.NewWebhookSecret(), true
		shown = auth.ShowWebhookSecret(key)
	}
	if !ok {
		return Sealed{}, "", problem.Field("secret", "it must be %s and the base64 of %d to %d bytes, as the provider shows it",
			auth.WebhookSecretPrefix, config.CallbackSecretBytesMin, config.CallbackSecretBytesMax)
	}
	sealed.KeyID, sealed.Secret, err = s.vault.Seal(source, key)
	if err != nil {
		return Sealed{}, "", fmt.Errorf("seal the secret: %w", err)
	}
	return sealed, shown, nil
}

// Verify says of which source a signed body is. problem.NotFound, problem.SourceEnded or problem.BadSignature.
func (s *Sources) Verify(ctx context.Context, id uuid.UUID, header http.Header, body []byte) (Source, error) {
	source, secrets, err := s.store.SourceSecrets(ctx, id, config.CallbackSecretsMax)
	if err != nil {
		return Source{}, err
	}
	if source.EndedAt != nil {
		return Source{}, problem.New(problem.SourceEnded, "an admin has ended this source; stop calling")
	}
	var keys [][]byte
	for _, sealed := range secrets {
		key, err := s.vault.Open(source.ID, sealed.KeyID, sealed.Secret)
		if err != nil {
			s.log.Error("a secret of a callback source cannot be read; give the source a new one", "source_id", source.ID, "error", err)
			continue
		}
		keys = append(keys, key)
	}
	if err := auth.VerifyWebhook(keys, header, body, s.now()); err != nil {
		return Source{}, problem.New(problem.BadSignature, "%s", err)
	}
	return source, nil
}
