-- The ledger: many projects, their journals, and the tables projected from them.
--
-- Every row carries the number of its project, which is known in this database
-- only. Text is compared by its bytes. Digests are 32 bytes.
--
-- The order of indexes matters: as long as there are no statistics the planner
-- takes the latest of those that look equally good, and keeps its plan.

-- refuse ends a statement whose condition does not hold, with a state of ours:
-- BR404 for what is not there, BR409 for what is there already.
CREATE FUNCTION refuse(state text, message text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message;
END $$;

-- A project is addressed by its key; a writer holds the lock of its row. The row
-- is made before the project is: id, name and at are null until Init.
CREATE TABLE projects (
  project integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key     text COLLATE "C" NOT NULL UNIQUE,
  id      text COLLATE "C",
  name    text COLLATE "C",
  at      timestamptz
);

-- The journal.

CREATE TABLE records (
  project integer NOT NULL,
  seq     bigint NOT NULL,
  at      timestamptz NOT NULL,
  actor   text COLLATE "C" NOT NULL,
  kind    text COLLATE "C" NOT NULL,
  data    bytea NOT NULL,
  PRIMARY KEY (project, seq)
);

-- A row holds the hashes that were put together, one after the other: first is
-- the storage index of the first of them.
CREATE TABLE hashes (
  project integer NOT NULL,
  first   bigint NOT NULL,
  run     bytea NOT NULL,
  PRIMARY KEY (project, first)
);

CREATE TABLE blobs (
  project integer NOT NULL,
  digest  bytea NOT NULL,
  data    bytea, -- null: redacted
  PRIMARY KEY (project, digest)
);

-- The digest tables.

CREATE TABLE artifacts (
  project     integer NOT NULL,
  id          text COLLATE "C" NOT NULL,
  type        text COLLATE "C" NOT NULL,
  module      text COLLATE "C" NOT NULL,
  creator     text COLLATE "C" NOT NULL,
  created     timestamptz NOT NULL,
  updated     timestamptz NOT NULL,
  head        integer NOT NULL,
  latest      integer NOT NULL,
  canonical   integer NOT NULL,
  head_status text COLLATE "C" NOT NULL,
  summary     text COLLATE "C" NOT NULL,
  tags        text[] COLLATE "C" NOT NULL,
  seq         bigint NOT NULL
);
CREATE INDEX artifacts_by_seq ON artifacts (project, seq DESC, id);
ALTER TABLE artifacts ADD PRIMARY KEY (project, id);
CREATE INDEX artifacts_by_type ON artifacts (type, project, id);
CREATE INDEX artifacts_by_tag ON artifacts USING gin (tags);

CREATE TABLE versions (
  project    integer NOT NULL,
  artifact   text COLLATE "C" NOT NULL,
  version    integer NOT NULL,
  parent     integer NOT NULL,
  status     text COLLATE "C" NOT NULL,
  slot       text COLLATE "C" NOT NULL,
  summary    text COLLATE "C" NOT NULL,
  format     text COLLATE "C" NOT NULL,
  content    bytea NOT NULL,
  size       bigint NOT NULL,
  what       text COLLATE "C" NOT NULL,
  why        text COLLATE "C" NOT NULL,
  creator    text COLLATE "C" NOT NULL,
  role       text COLLATE "C" NOT NULL,
  created    timestamptz NOT NULL,
  tags       text[] COLLATE "C" NOT NULL,
  task       text COLLATE "C" NOT NULL,
  invocation text COLLATE "C" NOT NULL,
  seq        bigint NOT NULL
);
-- C14: at most one canonical version per artifact, and per slot.
CREATE UNIQUE INDEX one_canonical_per_artifact ON versions (project, artifact) WHERE status = 'canonical';
CREATE UNIQUE INDEX one_canonical_per_slot     ON versions (project, slot)     WHERE status = 'canonical' AND slot <> '';

CREATE INDEX superseded ON versions (project, artifact, version) WHERE status = 'superseded';

-- Where every version goes on the one before it there is no fork: listing forks
-- reads only the artifacts that are not so.
CREATE INDEX branching ON versions (project, artifact) WHERE parent <> version - 1;
ALTER TABLE versions ADD PRIMARY KEY (project, artifact, version);

CREATE TABLE links (
  project       integer NOT NULL,
  from_artifact text COLLATE "C" NOT NULL,
  from_version  integer NOT NULL,
  rel           text COLLATE "C" NOT NULL,
  to_artifact   text COLLATE "C" NOT NULL,
  to_version    integer NOT NULL,
  seq           bigint NOT NULL,
  PRIMARY KEY (project, from_artifact, from_version, rel, to_artifact, to_version)
);
CREATE INDEX links_by_target ON links (to_artifact, to_version, project);

CREATE TABLE actors (
  project integer NOT NULL,
  name    text COLLATE "C" NOT NULL,
  kind    text COLLATE "C" NOT NULL,
  role    text COLLATE "C" NOT NULL,
  note    text COLLATE "C" NOT NULL,
  active  boolean NOT NULL,
  created timestamptz NOT NULL,
  seq     bigint NOT NULL,
  PRIMARY KEY (project, name)
);

CREATE TABLE objects (
  project integer NOT NULL,
  kind    text COLLATE "C" NOT NULL,
  id      text COLLATE "C" NOT NULL,
  grp     text COLLATE "C" NOT NULL,
  state   text COLLATE "C" NOT NULL,
  ord     bigint NOT NULL,
  body    bytea NOT NULL,
  seq     bigint NOT NULL
);
CREATE INDEX objects_by_order ON objects (project, kind, ord, id);
CREATE INDEX objects_by_group ON objects (project, kind, grp, ord, id);
CREATE INDEX objects_by_state ON objects (project, kind, state, ord, id);
ALTER TABLE objects ADD PRIMARY KEY (project, kind, id);

CREATE TABLE requests (
  project integer NOT NULL,
  actor   text COLLATE "C" NOT NULL,
  key     text COLLATE "C" NOT NULL,
  digest  bytea NOT NULL,
  result  bytea NOT NULL,
  seq     bigint NOT NULL,
  PRIMARY KEY (project, actor, key)
);

-- What is not derived from the journal.

-- Full text. The words of a document are analysed outside (store.Terms); the
-- index only knows which document has which word with which weight: the lexeme of
-- a word is the word followed by the digit of its weight. Long documents are cut
-- into parts, because a tsvector is bounded. Each also holds the lexeme /N of its
-- project, so that the index, which knows no other column, finds the documents of
-- one project only.
CREATE TABLE documents (
  project  integer NOT NULL,
  artifact text COLLATE "C" NOT NULL,
  part     integer NOT NULL,
  words    tsvector NOT NULL,
  PRIMARY KEY (project, artifact, part)
);
ALTER TABLE documents ALTER words SET STORAGE EXTERNAL; -- it does not compress
CREATE INDEX documents_by_word ON documents USING gin (words);

-- Texts that are not in the index yet; an empty one is only to be taken out.
-- Adding a document to the index costs more than writing its version: so they
-- wait here, and a search looks here as well. Where a text ends in content that
-- was stored with it, only what stands before that is kept, and its digest.
CREATE TABLE unindexed (
  project  integer NOT NULL,
  artifact text COLLATE "C" NOT NULL,
  text     text COLLATE "C" NOT NULL,
  blob     bytea,
  PRIMARY KEY (project, artifact)
);

CREATE TABLE tokens (
  project integer NOT NULL,
  id      text COLLATE "C" NOT NULL,
  actor   text COLLATE "C" NOT NULL,
  secret  bytea NOT NULL,
  created timestamptz NOT NULL,
  expires timestamptz, -- null: never
  revoked boolean NOT NULL,
  PRIMARY KEY (project, id),
  UNIQUE (project, secret)
);

CREATE TABLE denials (
  project integer NOT NULL,
  n       bigint NOT NULL,
  at      timestamptz NOT NULL,
  actor   text COLLATE "C" NOT NULL,
  role    text COLLATE "C" NOT NULL,
  action  text COLLATE "C" NOT NULL,
  target  text COLLATE "C" NOT NULL,
  reason  text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, n)
);

CREATE TABLE vectors (
  project integer NOT NULL,
  space   text COLLATE "C" NOT NULL,
  id      text COLLATE "C" NOT NULL,
  vector  bytea NOT NULL, -- float32, little-endian
  PRIMARY KEY (project, space, id)
);
