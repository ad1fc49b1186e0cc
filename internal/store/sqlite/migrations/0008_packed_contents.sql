-- In PostgreSQL contents are kept packed since this schema. In a file nothing
-- changes; a step is a statement all the same.

SELECT 1 WHERE false;
