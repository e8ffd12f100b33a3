-- +goose Up

-- As long as a frame may name it: a report with a conversation that does not fit here would be refused, and said again,
-- for ever.
ALTER TABLE conversations DROP CONSTRAINT conversations_thread_check,
    ADD CONSTRAINT conversations_thread_check CHECK (length(thread) BETWEEN 1 AND 512);
