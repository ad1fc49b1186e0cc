package main

// bareGrowth is the reason of every shape of merges.
const bareGrowth = "A pass that only sorts the same deltas and keeps them grows as much in most runs (its row has this one's): the memory no longer fits the processor's caches."

// reasons say of figures whose goals were not met when they were last looked into
// where the rest goes. A figure whose goals are met shows none.
var reasons = map[string]string{
	"SQLite, store": "It depends on when segments of the index of words were merged, behind the writes: one run of some sixteen gave that, the others 4,936 to 5,022 B.",
	"a reply, 10 deltas wait, 3,000 items in the document": "By itself it gave ratios of 1.35 to 1.61 in eight runs, four of them of the code before; behind the other benchmarks of one process, where the collector has more to do, 1.6 and 2.5. The mean has the first replies, which read the document.",
	"SQLite, a context from 100,000 notes":                 "It depends on the hour of the host: in a fast one this had a p99 of 13.7 ms.",
	"`/lineage/oxygen-log?direction=down`":                 "The host was slow: a static file took 55.8 µs, in the run before 34.6, where this had a p99 of 55 ms.",
	"merge of 10,000 deltas":                               "In a fast hour of the host it took 37.6 ms (five million additions 0.35 s there, 0.84 in a slow one).",
	"SQLite, store, one at a time":                         "Beside its rows a write notes its text for the index, which a worker makes on the same two cores; the reference indexes nothing.",
	"SQLite, store, 64 writers": "It was 0.72 to 0.93 in five runs on a machine that others used, beside 0.59 while the worker that indexes was measured with the burst; the rest is what is checked " +
		"before the rows are inserted, and 64 goroutines that take turns.",
	"SQLite, service, one artifact of 100,000": "Rows that were read are remembered for up to a second (ADR 185): 1,000 in turn are all remembered, of 100,000 hardly one. The same 1,000 of 100,000 in turn take about as long as 1,000 of 1,000 " +
		"(43 to 65 µs of processor beside 46 to 58, three runs in turn on a busy machine). Where nothing is remembered half of the time is to see whether one of the ten versions that it rests on, on average, is outdated, thirty rows " +
		"in three trees; neither a larger cache nor mapping the whole file made it faster.",
	"PostgreSQL, store, one artifact of 100,000": "Its trees are a level deeper; at 10,000 it is 1.2.",
	"merge of 100,000 deltas": "A pass that only sorts the same deltas, makes them canonical and keeps them grows more (BenchmarkMergeGrowth, a busy machine: 20.5 beside 14.1): the memory no longer " +
		"fits the processor's caches.",
	"100,000 deltas: KILL and EDIT of the last third alternative in turn": bareGrowth,
	"100,000 deltas: ever new unknown fields":                             bareGrowth,
	"100,000 deltas: rows with keys of their own":                         bareGrowth,
	"100,000 deltas: ever new keys of one row":                            bareGrowth,
	"100,000 deltas: one list replaced and added to":                      bareGrowth,
	"100,000 deltas: EDITs of one field at one instant":                   bareGrowth,
	"100,000 deltas: one delta_id for all":                                "It was 11.6 in the run before; nothing of it was changed, and a pass that only sorts them grows by a little less.",
	"100,000 deltas: targets that never come":                             bareGrowth,
	"`/journal?q=promote`":                                                "The first search of a process looks through the records one after the other, as many as one call may: their words have no index.",
	"SQLite, `artifact_get`, clients: 16": "The clients share the two cores. Of the samples of the server 26 % are SQLite's, for the token and for the position of the journal " +
		"in two snapshots, and 20 net/http's outside of our handlers.",
	"PostgreSQL, store, one at a time": "Of 328 µs that a write took besides its bare rows, which took 342 (medians of 1,500 in turn, a load of seven), the transaction and the lock took 16, to see where the journal ends 86, " +
		"to refuse what exists, look for a link's target and pack the content 98, our side 105, to announce and to index 23 (ADR 188). The seven inserts of a write as one statement were tried: 0.95 and 0.96 of the same seven, one at a time and 64 to a commit.",
	"PostgreSQL, store, 64 writers": "The content is packed (23 µs of our processor time, which the reference is given packed), and the server looks whether what is linked is there; " +
		"while a group runs on our side the server waits for it, and we for the server then.",
	"SQLite, service, 64 writers, 4,096 writes": "What a write needs besides its rows (policy, schema, canonical JSON, hashes, the tree of the journal) takes more processor " +
		"time than the rows, and two cores are full.",
	"SQLite, service, 64 writers, 8,192 writes": "As with 4,096.",
	"context for a question from 1,000 artifacts": "It was 15 ms of processor before ADR 187, on a busy machine, and 7.8 there now. No part of it stands out: the words of the question and what they find 28 %, what stands beside that 17, " +
		"the assembly of 500 candidates with a reason each 26, the rest in parts of 2 to 5.",
	"context for a task from 1,000 artifacts": "As for a question.",
	"context for a question from 100,000 artifacts": "The questions have 200 words. Of their processor time words take some 48 % (11 of them to decode postings), the meaning of summaries 23, " +
		"SQLite 11, the assembly 10. One from 1,000 is faster since it is remembered what is stale, which counts for less among 100,000.",
	"context for a task from 100,000 artifacts": "As for a question.",
	"PostgreSQL, store":                         "How many pages of the index of words are free to be used again depends on when it was merged: three runs took 4,534, 4,577 and 4,991 B, the index 682, 725 and 1,139 of it.",
	"`brenner version`": "On a machine that others used it took 10.9 ms beside 12.5 before only the command that was typed was made (ADR 211; medians of 100 in turn), one that does nothing 1.8. Most of it is page faults: how a file came to " +
		"the disk alone is worth 1.5 ms, a copy of the program being faster than what the linker wrote. A seventh of the samples is the runtime before any package; of 0.68 MB made before main " +
		"goldmark makes 0.28, the MCP library with what it links 0.12, all packages of ours 0.11.",
	"PostgreSQL, a context from 100,000 notes": "It depends on the hour: the same code gave 150 ms for the first searches in a slow one, and 60, 63 and 95 in others.",
	"merge of 1,000 deltas":                    "It was 10.2 in the run before; nothing of it was changed.",
	"SQLite, service, a lineage of 100,000":    "As with one artifact.",
	"SQLite, service, 65,536 writes beside 16,384": "Of 16,384 writes half come before anything is indexed, of 65,536 an eighth. Of a run of each with profiles on a busy machine (326 and 387 µs of processor a write) a write's turn took 245 and 275 µs, of which the commit 34 " +
		"and 51, with it copying the log back into a file that is larger, 20 and 33; indexing took 70 and 91, of which merging 0 and 15. No part grows out of proportion.",
	"the program": "Of 58 MB the embedding model is 11.9; packed it would be 10.0, and take longer to unpack at first use than a command takes. The rest is code, of which nearly half is ours, the tables that the runtime needs for it, two thirds as much, " +
		"and types and texts. It was 59.7 before what has a type was thin (1.6) and large values were sorted by their places (0.6, ADR 215). Pages are made with html/template, which calls methods by their names: the linker therefore keeps every exported method, " +
		"4.3 MB; filling pages with code of ours instead was built and not taken. Without both, the model and these, it would be 42.",
}
