-- +goose Up

-- What was "retry all" is any command over many rows that a person is shown first: now "approve all" as well.
ALTER TABLE retry_runs RENAME TO bulk_runs;
ALTER TABLE bulk_runs
    ADD COLUMN kind text NOT NULL DEFAULT 'retry' CHECK (kind IN ('retry', 'approval')),
    ADD COLUMN purpose text CHECK (length(purpose) BETWEEN 1 AND 200),
    -- In whose name it is carried out; null for runs that were begun before this column was there.
    ADD COLUMN begun_by uuid REFERENCES principals;
ALTER TABLE bulk_runs ALTER COLUMN kind DROP DEFAULT;

-- An item is a send to be retried, or a message to be approved in the version that was shown.
ALTER TABLE retry_items RENAME TO bulk_items;
ALTER TABLE bulk_items DROP CONSTRAINT retry_items_pkey;
ALTER TABLE bulk_items ALTER COLUMN send_id DROP NOT NULL;
ALTER TABLE bulk_items
    ADD COLUMN message_id uuid,
    ADD COLUMN version integer,
    ADD COLUMN digest text,
    ADD FOREIGN KEY (message_id, version, digest) REFERENCES message_versions (message_id, version, digest),
    ADD CONSTRAINT a_send_or_a_message CHECK ((send_id IS NULL) <> (message_id IS NULL)),
    ADD CONSTRAINT a_message_has_its_version CHECK (num_nulls(message_id, version, digest) IN (0, 3));
ALTER TABLE bulk_items ADD COLUMN subject_id uuid NOT NULL GENERATED ALWAYS AS (coalesce(send_id, message_id)) STORED;
ALTER TABLE bulk_items ADD PRIMARY KEY (run_id, subject_id);
DROP INDEX retry_items_waiting;
CREATE INDEX bulk_items_waiting ON bulk_items (run_id, subject_id) WHERE verdict = '' AND outcome IS NULL;
