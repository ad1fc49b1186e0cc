-- How many artifacts there are of a type in a module, kept with every new one:
-- a context says how many it did not look at, without counting them.

CREATE TABLE kinds (
  module    TEXT    NOT NULL,
  type      TEXT    NOT NULL,
  artifacts INTEGER NOT NULL,
  PRIMARY KEY (module, type)
) STRICT, WITHOUT ROWID;

INSERT INTO kinds SELECT module, type, count(*) FROM artifacts GROUP BY module, type;
