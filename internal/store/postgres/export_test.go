package postgres

// Pack is for tests that write rows of contents themselves.
var Pack = pack
