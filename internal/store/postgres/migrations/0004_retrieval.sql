-- Full text in segments (package retrieval): what a search reads is what it
-- needs, settling is cheap in large batches, and every store ranks alike.

-- The state of the index. Generation grows when something is taken out for good,
-- changes with every batch and merge; documents and length are those of all
-- texts in the segments.
CREATE TABLE index_state (
  project    integer PRIMARY KEY,
  generation bigint NOT NULL DEFAULT 0,
  changes    bigint NOT NULL DEFAULT 0,
  segment    bigint NOT NULL DEFAULT 1, -- number of the next
  documents  bigint NOT NULL DEFAULT 0,
  length     bigint NOT NULL DEFAULT 0
);
INSERT INTO index_state (project) SELECT project FROM projects;

-- A segment is built, then live, then gone: its pages may be removed.
CREATE TABLE index_segments (
  project   integer NOT NULL,
  segment   bigint NOT NULL,
  state     text COLLATE "C" NOT NULL CHECK (state IN ('built', 'live', 'gone')),
  began     timestamptz NOT NULL DEFAULT now(),
  documents bigint NOT NULL,
  dead      bigint NOT NULL, -- how many
  directory bytea NOT NULL,
  deaths    bytea NOT NULL,  -- which
  PRIMARY KEY (project, segment)
);

-- A page of the index fills about one page of the table.
CREATE TABLE index_pages (
  project integer NOT NULL,
  segment bigint NOT NULL,
  page    integer NOT NULL,
  data    bytea NOT NULL,
  PRIMARY KEY (project, segment, page)
);
ALTER TABLE index_pages ALTER data SET STORAGE PLAIN;

-- Which versions of an artifact are in the segments: their numbers with a blank
-- between them, a d behind that of a draft.
CREATE TABLE index_documents (
  project  integer NOT NULL,
  artifact text COLLATE "C" NOT NULL,
  versions text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, artifact)
);

-- Which versions are to be there, where that is not so yet. A search looks at
-- these as well.
CREATE TABLE index_notes (
  project  integer NOT NULL,
  artifact text COLLATE "C" NOT NULL,
  versions text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, artifact)
);

INSERT INTO index_notes
SELECT project, id, CASE
  WHEN canonical = 0                                                   THEN head::text
  WHEN head = canonical OR head_status IN ('superseded', 'deprecated') THEN canonical::text
  WHEN head < canonical                                                THEN head || 'd ' || canonical
  ELSE canonical || ' ' || head || 'd' END
FROM artifacts WHERE canonical > 0 OR head_status NOT IN ('superseded', 'deprecated');

DROP TABLE documents;
DROP TABLE unindexed;
