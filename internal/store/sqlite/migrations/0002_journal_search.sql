-- The journal is searched by kind and by actor, in the order of its records.

CREATE INDEX records_by_kind  ON records (kind);
CREATE INDEX records_by_actor ON records (actor);
