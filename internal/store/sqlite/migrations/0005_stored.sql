-- Since this schema free text stands in records by its hash, as a content.

-- What each actor has had stored, in bytes: its records and the contents it sent
-- (X10). What was stored before is its records and its versions.
CREATE TABLE stored (
  actor TEXT    PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO stored
SELECT actor, sum(bytes) FROM (
  SELECT actor, length(data) AS bytes FROM records UNION ALL SELECT creator, size FROM versions
) GROUP BY actor;
