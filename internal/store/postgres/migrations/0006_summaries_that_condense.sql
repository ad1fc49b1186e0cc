-- A summary that says its text again counts no more than the text: every text is
-- indexed anew.

DELETE FROM index_segments;
DELETE FROM index_pages;
DELETE FROM index_documents;
DELETE FROM index_notes;
UPDATE index_state SET generation = generation + 1, changes = changes + 1, documents = 0, length = 0;

INSERT INTO index_notes
SELECT project, id, CASE
  WHEN canonical = 0                                                   THEN head::text
  WHEN head = canonical OR head_status IN ('superseded', 'deprecated') THEN canonical::text
  WHEN head < canonical                                                THEN head || 'd ' || canonical
  ELSE canonical || ' ' || head || 'd' END
FROM artifacts WHERE canonical > 0 OR head_status NOT IN ('superseded', 'deprecated');
