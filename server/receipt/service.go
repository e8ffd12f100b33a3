package receipt

import (
	"context"

	"github.com/google/uuid"
)

// Store reads the story of a message.
type Store interface {
	// ReceiptRead is unsigned and of one snapshot; problem.NotFound when the workspace has no such message.
	ReceiptRead(ctx context.Context, workspace, message uuid.UUID) (Receipt, error)
}

// Service gives out signed receipts.
type Service struct {
	store  Store
	signer *Signer
}

// NewService panics on a missing part.
func NewService(store Store, signer *Signer) *Service {
	if store == nil || signer == nil {
		panic("receipt.NewService: a part is missing")
	}
	return &Service{store: store, signer: signer}
}

// Get is the receipt of a message as it stands now. A later one may say more.
func (s *Service) Get(ctx context.Context, workspace, message uuid.UUID) (Receipt, error) {
	r, err := s.store.ReceiptRead(ctx, workspace, message)
	if err != nil {
		return Receipt{}, err
	}
	return s.signer.Sign(r)
}

// Keys are the public halves of the keys, those of old receipts too.
func (s *Service) Keys() []PublicKey { return Published(s.signer.keys) }
