-- +goose Up

-- The order of the queue stands in the index whole, so that the next due send is its first row. With due_at alone every
-- lease sorted all that was due for its account.
CREATE INDEX sends_queue ON sends (account_id, due_at, id);
DROP INDEX sends_dispatch;
