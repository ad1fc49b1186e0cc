package main

// reasons say of figures whose goals were not met when they were last looked into
// where the rest goes. A figure whose goals are met shows none.
var reasons = map[string]string{
	"PostgreSQL, store, one at a time": "A write is several statements and a commit, each a way to the server and back, beside rows that go in one.",
	"PostgreSQL, store, 64 writers":    "The reference sends 64 writes as one batch of inserts into bare tables; ours asks first what each write rests on.",
	"SQLite, service, 64 writers, 4,096 writes": "What a write needs besides its rows (policy, schema, canonical JSON, hashes, the tree of the journal) takes more processor " +
		"time than the rows, and two cores are full.",
	"SQLite, service, 64 writers, 8,192 writes": "As with 4,096.",
	"PostgreSQL, store":                         "Of 6,463 B the contents took 2,963 with what PostgreSQL adds to them, the index of words 1,055, the rows of artifacts 641.",
	"`brenner version`":                         "Half of what is allocated before main is one library, which compiles the schemas of JSON Schema itself whenever it is linked.",
	"the program":                               "The embedding model is 12 MB, the code 23 (a database and two protocols in it), the tables that the runtime needs for it 16.",
}
