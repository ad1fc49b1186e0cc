-- What was retracted, and what was corrected without a decision, is found
-- without reading the other versions and artifacts; writing a first draft does
-- not touch these.

CREATE INDEX deprecated ON versions (project, artifact, version) WHERE status = 'deprecated';
CREATE INDEX undecided  ON artifacts (project, id)               WHERE canonical = 0 AND head > 1;
