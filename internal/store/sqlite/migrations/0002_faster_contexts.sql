-- Most artifacts are drafts. What is not is found without reading them all, and
-- writing a draft does not touch these.

CREATE INDEX canonical_by_id   ON artifacts (id)              WHERE canonical > 0;
CREATE INDEX canonical_by_type ON artifacts (type, id)        WHERE canonical > 0;
CREATE INDEX decided_by_status ON artifacts (head_status, id) WHERE head_status <> 'draft';

-- What changed last of a type in a module, without reading the others.
CREATE INDEX artifacts_by_kind ON artifacts (module, type, seq DESC, id);

-- The size of the head, so that a context can be planned without its version.
ALTER TABLE artifacts ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
UPDATE artifacts SET size = coalesce((SELECT v.size FROM versions v WHERE v.key = artifacts.key << 24 | artifacts.head), 0);
