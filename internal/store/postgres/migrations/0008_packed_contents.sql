-- Contents are kept packed where that is shorter: size is how many bytes they
-- have unpacked. What was stored before stays as it is, and no table is written
-- anew.

-- The column has another name since it may hold something else: a program from
-- before that is still connected is refused instead of reading packed bytes.
ALTER TABLE blobs RENAME COLUMN data TO body; -- null: redacted
ALTER TABLE blobs ADD COLUMN size integer;    -- null: body is the content itself

-- What is packed does not get shorter once more.
ALTER TABLE blobs ALTER body SET STORAGE EXTERNAL;
