-- Whether a version was in force and was made a draft again (C26): what rests on
-- it is stale until it is promoted once more. Before, only the decisions said so.

ALTER TABLE versions ADD COLUMN demoted INTEGER NOT NULL DEFAULT 0;

WITH last (ref, back, seq) AS ( -- a bare column is that of the row with the highest seq
  SELECT c.value ->> 'ref', c.value ->> 'from' = 'canonical' AND c.value ->> 'to' = 'draft', max(d.seq)
  FROM objects d, json_each(CAST(d.body AS TEXT), '$.changes') c
  WHERE d.kind = 'decision' AND 'canonical' IN (c.value ->> 'from', c.value ->> 'to')
  GROUP BY c.value ->> 'ref'
)
UPDATE versions SET demoted = 1
FROM last JOIN artifacts a ON a.id = substr(last.ref, 1, instr(last.ref, '@') - 1)
WHERE last.back AND versions.key = a.key << 24 | CAST(substr(last.ref, instr(last.ref, '@') + 1) AS INTEGER);

CREATE INDEX demoted ON versions (artifact) WHERE demoted = 1;
