-- +goose Up

-- A person's no to one version, by digest. Only an edit makes a version that may be approved again.
CREATE TABLE rejections (
    message_id uuid NOT NULL,
    version integer NOT NULL,
    digest text NOT NULL,
    why text NOT NULL DEFAULT '' CHECK (length(why) <= 2000),
    rejected_by uuid NOT NULL REFERENCES principals,
    rejected_at timestamptz NOT NULL DEFAULT sendonce_now(),
    PRIMARY KEY (message_id, version),
    FOREIGN KEY (message_id, version, digest) REFERENCES message_versions (message_id, version, digest)
);

-- Who ended an approval; null where time did.
ALTER TABLE approvals ADD COLUMN voided_by uuid REFERENCES principals,
    ADD CONSTRAINT void_names_whom CHECK (voided_by IS NULL OR voided_at IS NOT NULL);
