-- The ledger: one project, its journal, and the tables projected from it.
--
-- Text is UTF-8 and compared by its bytes. Instants are microseconds since 1970.
-- Digests are 32 bytes. Tags are kept each with a closing NUL, which no tag can
-- contain.

CREATE TABLE project (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  id   TEXT    NOT NULL,
  name TEXT    NOT NULL,
  at   INTEGER NOT NULL
) STRICT;

-- The journal.

CREATE TABLE records (
  seq   INTEGER PRIMARY KEY,
  at    INTEGER NOT NULL,
  actor TEXT    NOT NULL,
  kind  TEXT    NOT NULL,
  data  BLOB    NOT NULL
) STRICT;

-- A row holds the hashes that were put together, one after the other: first is
-- the storage index of the first of them.
CREATE TABLE hashes (
  first INTEGER PRIMARY KEY,
  run   BLOB    NOT NULL
) STRICT;

-- data is NULL where the content was redacted.
CREATE TABLE blobs (
  key    INTEGER PRIMARY KEY,
  digest BLOB    NOT NULL UNIQUE CHECK (length(digest) = 32),
  data   BLOB
) STRICT;

-- The digest tables.

CREATE TABLE artifacts (
  key         INTEGER PRIMARY KEY,
  id          TEXT    NOT NULL UNIQUE,
  type        TEXT    NOT NULL,
  module      TEXT    NOT NULL,
  creator     TEXT    NOT NULL,
  created     INTEGER NOT NULL,
  updated     INTEGER NOT NULL,
  head        INTEGER NOT NULL,
  latest      INTEGER NOT NULL,
  canonical   INTEGER NOT NULL,
  head_status TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  tags        BLOB    NOT NULL,
  summary     TEXT    NOT NULL
) STRICT;

CREATE INDEX artifacts_by_type ON artifacts (type, id);
CREATE INDEX artifacts_by_seq  ON artifacts (seq);

CREATE TABLE artifact_tags (
  tag      TEXT    NOT NULL,
  artifact INTEGER NOT NULL REFERENCES artifacts,
  PRIMARY KEY (tag, artifact)
) STRICT, WITHOUT ROWID;

-- The key of a version is (key of its artifact) << 24 | version: versions of an
-- artifact stand together and in order, and a link is two numbers.
CREATE TABLE versions (
  key        INTEGER PRIMARY KEY,
  artifact   INTEGER NOT NULL REFERENCES artifacts CHECK (artifact = key >> 24),
  parent     INTEGER NOT NULL CHECK (parent >= 0 AND parent < key & 0xffffff),
  status     TEXT    NOT NULL,
  slot       TEXT    NOT NULL,
  format     TEXT    NOT NULL,
  content    BLOB    NOT NULL CHECK (length(content) = 32),
  size       INTEGER NOT NULL,
  creator    TEXT    NOT NULL,
  role       TEXT    NOT NULL,
  created    INTEGER NOT NULL,
  task       TEXT    NOT NULL,
  invocation TEXT    NOT NULL,
  seq        INTEGER NOT NULL,
  tags       BLOB    NOT NULL,
  summary    TEXT    NOT NULL,
  what       TEXT    NOT NULL,
  why        TEXT    NOT NULL
) STRICT;

-- C14: at most one canonical version per artifact, and per slot.
CREATE UNIQUE INDEX one_canonical_per_artifact ON versions (artifact) WHERE status = 'canonical';
CREATE UNIQUE INDEX one_canonical_per_slot     ON versions (slot)     WHERE status = 'canonical' AND slot <> '';

CREATE INDEX superseded ON versions (artifact) WHERE status = 'superseded';

-- The artifacts that have more than one leaf, kept with every change of a
-- version: listing forks does not read every version.
CREATE TABLE forked (
  artifact INTEGER PRIMARY KEY REFERENCES artifacts
) STRICT;

CREATE TABLE links (
  src INTEGER NOT NULL REFERENCES versions,
  rel TEXT    NOT NULL,
  dst INTEGER NOT NULL REFERENCES versions,
  seq INTEGER NOT NULL,
  PRIMARY KEY (src, rel, dst)
) STRICT, WITHOUT ROWID;

CREATE INDEX links_by_target ON links (dst);

CREATE TABLE actors (
  name    TEXT    PRIMARY KEY,
  kind    TEXT    NOT NULL,
  role    TEXT    NOT NULL,
  note    TEXT    NOT NULL,
  active  INTEGER NOT NULL,
  created INTEGER NOT NULL,
  seq     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE objects (
  key   INTEGER PRIMARY KEY,
  kind  TEXT    NOT NULL,
  id    TEXT    NOT NULL,
  grp   TEXT    NOT NULL,
  state TEXT    NOT NULL,
  ord   INTEGER NOT NULL,
  seq   INTEGER NOT NULL,
  body  BLOB    NOT NULL,
  UNIQUE (kind, id)
) STRICT;

CREATE INDEX objects_by_order ON objects (kind, ord, id);
CREATE INDEX objects_by_group ON objects (kind, grp, ord, id, state);
CREATE INDEX objects_by_state ON objects (kind, state, ord, id);

CREATE TABLE requests (
  number INTEGER PRIMARY KEY,
  actor  TEXT    NOT NULL,
  key    TEXT    NOT NULL,
  digest BLOB    NOT NULL CHECK (length(digest) = 32),
  seq    INTEGER NOT NULL,
  result BLOB    NOT NULL,
  UNIQUE (actor, key)
) STRICT;

-- What is not derived from the journal.

CREATE TABLE tokens (
  id      TEXT    PRIMARY KEY,
  actor   TEXT    NOT NULL,
  secret  BLOB    NOT NULL UNIQUE CHECK (length(secret) = 32),
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  revoked INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE denials (
  number INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  actor  TEXT    NOT NULL,
  role   TEXT    NOT NULL,
  action TEXT    NOT NULL,
  target TEXT    NOT NULL,
  reason TEXT    NOT NULL
) STRICT;

CREATE TABLE vectors (
  key   INTEGER PRIMARY KEY,
  space TEXT    NOT NULL,
  id    TEXT    NOT NULL,
  data  BLOB    NOT NULL, -- float32, little-endian
  UNIQUE (space, id)
) STRICT;

-- Full text. The words of a document are analysed outside (store.Terms); the
-- index only knows which document has which word with which weight: the token of
-- a word is the word followed by the digit of its weight. Its rowid is the key of
-- the artifact.
CREATE VIRTUAL TABLE words USING fts5 (
  tokens, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

-- Texts that are not in the index yet; an empty one is only to be taken out.
-- Adding a document to the index costs more than writing its version, and much
-- less when there are many: so they wait here, and a search looks here as well.
-- A text that ends with the content of a blob is not written twice: it is what
-- stands here and then that blob, if it is not redacted meanwhile.
CREATE TABLE unindexed (
  artifact INTEGER PRIMARY KEY REFERENCES artifacts,
  text     TEXT    NOT NULL,
  blob     INTEGER REFERENCES blobs
) STRICT;
