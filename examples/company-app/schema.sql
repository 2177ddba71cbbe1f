-- Runs at every start, as one transaction. Two instances wait for each other.
SELECT pg_advisory_xact_lock(1);

CREATE TABLE IF NOT EXISTS users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  login text NOT NULL UNIQUE,
  name text NOT NULL,
  password text NOT NULL, -- salt and scrypt hash
  is_admin boolean NOT NULL DEFAULT false,
  is_disabled boolean NOT NULL DEFAULT false
);

CREATE TABLE IF NOT EXISTS sessions (
  id text PRIMARY KEY, -- a hash: whoever reads this table cannot log in with it
  data jsonb NOT NULL,
  expires timestamptz NOT NULL
);

CREATE TABLE IF NOT EXISTS folders (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  owner uuid NOT NULL REFERENCES users,
  parent uuid REFERENCES folders,
  name text NOT NULL
);

CREATE TABLE IF NOT EXISTS documents (
  id text PRIMARY KEY, -- the fileId in the storage
  owner uuid NOT NULL REFERENCES users,
  folder uuid REFERENCES folders,
  name text NOT NULL,
  extension text NOT NULL,
  is_template boolean NOT NULL DEFAULT false,
  deleted timestamptz -- the content stays: a save may be on its way
);

CREATE TABLE IF NOT EXISTS shares (
  document text NOT NULL REFERENCES documents,
  user_id uuid NOT NULL REFERENCES users,
  mode text NOT NULL CHECK (mode IN ('view', 'edit')),
  PRIMARY KEY (document, user_id)
);
CREATE INDEX IF NOT EXISTS shares_of_user ON shares (user_id);
CREATE INDEX IF NOT EXISTS documents_of_owner ON documents (owner, folder);

-- Who may do what: every question about it asks this view.
CREATE OR REPLACE VIEW rights AS
  SELECT documents.id AS document, owner AS user_id, 'edit' AS mode
    FROM documents JOIN users ON users.id = owner WHERE deleted IS NULL AND NOT is_disabled
  UNION ALL
  SELECT document, user_id, shares.mode
    FROM shares JOIN documents ON documents.id = document JOIN users ON users.id = user_id
    WHERE deleted IS NULL AND NOT is_disabled AND user_id <> owner;
