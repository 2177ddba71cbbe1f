-- The tables of postgresStorage, for a role `app` that may not make them. In a schema of their own: SET search_path.
CREATE TABLE onlyoffice_records (
  file_id text COLLATE "C" PRIMARY KEY,
  record text NOT NULL,
  etag uuid NOT NULL,
  modified_at timestamptz NOT NULL
);
CREATE TABLE onlyoffice_blobs (
  file_id text COLLATE "C",
  blob uuid,
  piece integer,
  written_at timestamptz NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (file_id, blob, piece)
);
ALTER TABLE onlyoffice_blobs ALTER bytes SET STORAGE EXTERNAL;
GRANT SELECT, INSERT, UPDATE, DELETE ON onlyoffice_records, onlyoffice_blobs TO app;
