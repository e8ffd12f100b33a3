package harness

import "context"

// Suppress marks the person of a message as not to be written to, as only a later release does by itself.
func (d *Database) Suppress(ctx context.Context, message string) error {
	_, err := d.pool.Exec(ctx, `UPDATE people SET suppressed_at = sendonce_now()
		WHERE id = (SELECT person_id FROM messages WHERE id = $1::uuid)`, message)
	return err
}

// Reply notes that the person of a message has replied, on whatever channel.
func (d *Database) Reply(ctx context.Context, message string) error {
	_, err := d.pool.Exec(ctx, `UPDATE people SET replied_at = sendonce_now()
		WHERE id = (SELECT person_id FROM messages WHERE id = $1::uuid)`, message)
	return err
}
