package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/callback"
	"sendonce/server/config"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
)

// SeenTake implements callback.Store. Facts are written in one order, as those of a callback are.
func (s *Store) SeenTake(ctx context.Context, write callback.SeenWrite) error {
	seen := slices.Clone(write.Seen)
	slices.SortFunc(seen, func(a, b callback.Seen) int { return bytes.Compare(a.Hash, b.Hash) })
	return retryOnce(func() error {
		return s.inTrips(ctx, rule.Observer, uuid.Nil, noQuestion, func(t trips) error {
			may, err := t.q.ObserverMay(ctx, write.MemberURN, write.PersonURN, write.Install, write.Send)
			if err != nil && !errors.Is(err, pgx.ErrNoRows) { // a send that was forgotten is nobody's
				return fmt.Errorf("read whether the browser may say it: %w", err)
			}
			if !may {
				return callback.ErrNotTheirs
			}
			return trip(ctx, t.conn, func(b *pgx.Batch) {
				for _, one := range seen {
					queueExec(b, "keep what a browser saw", db.SeenAdd, write.Install, string(one.Kind), one.About, one.ID, one.TextDigest,
						one.At, one.Hash, write.Send, config.ObservedWaitingMax, config.ObservedPerCopyMax)
				}
			})
		})
	})
}
