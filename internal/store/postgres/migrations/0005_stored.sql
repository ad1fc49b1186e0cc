-- Since this schema free text stands in records by its hash, as a content.

-- What each actor has had stored, in bytes: its records and the contents it sent
-- (X10). What was stored before is its records and its versions.
CREATE TABLE stored (
  project integer NOT NULL,
  actor   text COLLATE "C" NOT NULL,
  bytes   bigint NOT NULL,
  PRIMARY KEY (project, actor)
);

INSERT INTO stored
SELECT project, actor, sum(bytes) FROM (
  SELECT project, actor, length(data) AS bytes FROM records UNION ALL SELECT project, creator, size FROM versions
) AS all_of_it GROUP BY project, actor;
