-- Full text in segments (package retrieval): what a search reads is what it
-- needs, settling is cheap in large batches, and every store ranks alike.

-- The state of the index. Generation grows when something is taken out for good,
-- changes with every batch and merge; documents and length are those of all
-- texts in the segments.
CREATE TABLE index_state (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  generation INTEGER NOT NULL,
  changes    INTEGER NOT NULL,
  segment    INTEGER NOT NULL, -- number of the next
  documents  INTEGER NOT NULL,
  length     INTEGER NOT NULL
) STRICT;
INSERT INTO index_state VALUES (1, 0, 0, 1, 0, 0);

-- A segment is built, then live, then gone: its pages may be removed.
CREATE TABLE index_segments (
  segment   INTEGER PRIMARY KEY,
  state     TEXT    NOT NULL CHECK (state IN ('built', 'live', 'gone')),
  began     INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  dead      INTEGER NOT NULL, -- how many
  directory BLOB    NOT NULL,
  deaths    BLOB    NOT NULL  -- which
) STRICT;

-- The key of a page is (number of its segment) << 24 | its number.
CREATE TABLE index_pages (
  key  INTEGER PRIMARY KEY,
  data BLOB NOT NULL
) STRICT;

-- Which versions of an artifact are in the segments: their numbers with a blank
-- between them, a d behind that of a draft.
CREATE TABLE index_documents (
  artifact INTEGER PRIMARY KEY REFERENCES artifacts,
  versions TEXT NOT NULL
) STRICT;

-- Which versions are to be there, where that is not so yet. A search looks at
-- these as well.
CREATE TABLE index_notes (
  artifact INTEGER PRIMARY KEY REFERENCES artifacts,
  versions TEXT NOT NULL
) STRICT;

INSERT INTO index_notes
SELECT key, CASE
  WHEN canonical = 0                                                       THEN CAST(head AS TEXT)
  WHEN head = canonical OR head_status IN ('superseded', 'deprecated')     THEN CAST(canonical AS TEXT)
  WHEN head < canonical                                                    THEN head || 'd ' || canonical
  ELSE canonical || ' ' || head || 'd' END
FROM artifacts WHERE canonical > 0 OR head_status NOT IN ('superseded', 'deprecated');

DROP TABLE words;
DROP TABLE unindexed;
