-- Most artifacts are drafts. What is not is found without reading them all, and
-- writing a draft does not touch these.

CREATE INDEX decided_by_status ON artifacts (project, head_status, id) WHERE head_status <> 'draft';
CREATE INDEX canonical_by_type ON artifacts (project, type, id)        WHERE canonical > 0;
CREATE INDEX canonical_by_id   ON artifacts (project, id)              WHERE canonical > 0;

-- What changed last of a type in a module, without reading the others.
CREATE INDEX artifacts_by_kind ON artifacts (module, type, project, seq DESC, id);

-- The size of the head, so that a context can be planned without its version.
ALTER TABLE artifacts ADD COLUMN size bigint NOT NULL DEFAULT 0;
UPDATE artifacts AS a SET size = v.size FROM versions AS v WHERE v.project = a.project AND v.artifact = a.id AND v.version = a.head;
