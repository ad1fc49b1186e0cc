-- Whether a version was in force and was made a draft again (C26): what rests on
-- it is stale until it is promoted once more. Before, only the decisions said so.

ALTER TABLE versions ADD COLUMN demoted boolean NOT NULL DEFAULT false;

WITH last AS (
  SELECT DISTINCT ON (d.project, c ->> 'ref') d.project, split_part(c ->> 'ref', '@', 1) AS artifact,
    split_part(c ->> 'ref', '@', 2)::integer AS version, c ->> 'from' = 'canonical' AND c ->> 'to' = 'draft' AS back
  FROM objects AS d, json_array_elements(convert_from(d.body, 'UTF8')::json -> 'changes') AS c
  WHERE d.kind = 'decision' AND 'canonical' IN (c ->> 'from', c ->> 'to')
  ORDER BY d.project, c ->> 'ref', d.seq DESC
)
UPDATE versions AS v SET demoted = true
FROM last WHERE last.back AND v.project = last.project AND v.artifact = last.artifact AND v.version = last.version;

CREATE INDEX demoted ON versions (project, artifact, version) WHERE demoted;
