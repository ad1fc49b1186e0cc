package main

import "fmt"

// The packages whose benchmarks are shown.
const (
	inSQLite   = "internal/store/sqlite"
	inPostgres = "internal/store/postgres"
	inService  = "internal/app"
	inProgram  = "cmd/brenner"
	inTools    = "internal/mcpserver"
)

// areas is the document: what the design asks to be measured, with the goals it
// sets.
var areas = []area{
	{"Durable writes", `One version of 2 KiB with its record, hashes, link and text, synced to disk. "Store" is the database layer alone,
beside the same rows into the same schema, which nobody checks; 64 writers write bursts of up to 4,096, whose texts are indexed behind them, outside of that time. "Service" is everything a user's write goes
through (policy, schema, journal, Merkle log, tables), beside the very rows it wrote, inserted again through the same driver into the same schema,
as many to a commit as there were writers. A sustained run ends when every text can be found; its rows go with their texts into a plain FTS5
table. Of a service's calls the median and the 99th percentile are shown, and its processor time for each write with that of the rows.
How many projects gain by a second server is not measured: two cores are full with one.`, []figure{
		write("SQLite, store, one at a time", source{inSQLite, "Write_Single"}, "the same rows", "raw-same-ns/op", "×same", 0.8),
		write("SQLite, store, 64 writers", source{inSQLite, "Write_Group"}, "the same rows, 64 writes to a commit", "raw-same-ns/op", "×same", 0.75),
		write("PostgreSQL, store, one at a time", source{inPostgres, "Write_Single"}, "the same rows", "raw-ns/op", "×raw", 0.8),
		write("PostgreSQL, store, 64 writers", source{inPostgres, "Write_Group"}, "the same rows, 64 writes to a commit", "raw-ns/op", "×raw", 0.75),
		durable("one at a time, 1,000 writes", "single/writes=1000", 0.6),
		durable("64 writers, 4,096 writes", "burst/writes=4096", 0.5),
		durable("64 writers, 8,192 writes", "burst/writes=8192", 0.5),
		durable("64 writers, 16,384 writes, all findable", "sustained/writes=16384", 0.7),
		durable("64 writers, 65,536 writes, all findable", "sustained/writes=65536", 0.7),
		{
			what: "SQLite, service, 65,536 writes beside 16,384", source: source{inService, "Durable/sustained/writes=65536"}, show: []measure{{"writes/s", perSecond, ""}},
			beside: reference{what: "16,384 writes", of: "Durable/sustained/writes=16384", metric: "writes/s"},
			goals:  []goal{atLeast(ratioOf, 0.85, "≥ 0.85×")},
		},
	}},
	{"Reads as the project grows", `"Service" is the whole use case on SQLite; a list has 100 entries, a lineage up to 20 steps.`, concat(
		grows("SQLite, service, one artifact", source{inService, "Read/point/artifacts="}),
		grows("SQLite, service, a list", source{inService, "Read/list/artifacts="}),
		grows("SQLite, service, a lineage", source{inService, "Read/lineage/artifacts="}),
		grows("PostgreSQL, store, one artifact", source{inPostgres, "Read/point/"}),
		grows("PostgreSQL, store, a list", source{inPostgres, "Read/list100/"}),
		grows("PostgreSQL, store, a lineage", source{inPostgres, "Read/lineage10/"}),
	)},
	{"Disk", "Bytes on disk for a version of 2 KiB, everything included: record, hashes, tables, indexes, full text.", []figure{
		disk("SQLite, store", source{inSQLite, "Disk"}, "×content", measure{"B-most", number("B"), "at most of seven files"}),
		disk("SQLite, service", source{inService, "Disk"}, "of-content"),
		disk("PostgreSQL, store", source{inPostgres, "Disk"}, "×content"),
	}},
	{"Deltas", "60 % ADD over four sections, 30 % EDIT, 10 % KILL, shuffled. Processor time, the collector's included; the ratio is the growth over a tenth of the deltas.", []figure{
		{
			what: "merge of 100 deltas", source: source{"delta", "Merge/deltas=100"},
			show: []measure{{"cpu-ns", nanoseconds, ""}, {"allocs/op", number("allocations"), ""}},
		},
		merge(1_000), merge(10_000, atMost("cpu-ns", 45e6, "≤ 45 ms")), merge(100_000),
		{
			what: "one delta into an artifact of 10,000 items", source: source{"delta", "MergeIncremental"},
			show:   []measure{{"cpu-ns", nanoseconds, ""}},
			beside: reference{what: "the full merge", metric: "full-cpu-ns"},
			goals:  []goal{under(ratioOf, 0.001, "< 0.1 %")},
		},
		{
			what: "a reply of 1,000 deltas, rendered", source: source{"delta", "RenderReply"},
			show:   []measure{{"render-cpu-ns", nanoseconds, ""}},
			beside: reference{what: "its reading", metric: "read-cpu-ns"},
			goals:  []goal{atMost("render-cpu-ns", 50e6, "≤ 50 ms")},
		},
		shape("KILL and EDIT of the last third alternative in turn", "kill-and-edit-of-the-last-third-alternative"),
		shape("ever new unknown fields", "ever-new-unknown-fields"),
		shape("rows with keys of their own", "rows-with-keys-of-their-own"),
		shape("ever new keys of one row", "keys-of-one-row"),
		shape("one list replaced and added to", "one-list-replaced-and-added-to"),
		shape("EDITs of one field at one instant", "edits-of-one-field-at-one-instant"),
		shape("targets that never come", "targets-that-never-come"),
		shape("one delta_id for all", "one-delta-id-for-all"),
	}},
	{"Patches", "Diff and apply are compared with git on the same input, its process included.", []figure{
		{
			what: "1,000 operations on a text of 10 MB", source: source{"anchor", "Apply"},
			show: []measure{{"ns/op", nanoseconds, ""}}, beside: reference{what: "git apply", metric: "git-apply-ns", ratio: "x-git-apply"},
		},
		textDiff("20 of its lines changed", "few"), textDiff("2,000 of its lines changed", "many"), textDiff("its lines shuffled", "rewritten"),
		fault("patches with injected faults refused, right all the same, or warned about", "%-never-silently-wrong", 100),
		fault("causes of refusals named rightly", "%-cause-named", 97),
		fault("corrections called proved that are right", "%-proved-right", 100),
		fault("corrections called likely, without a result hash, that are right", "%-likely-right", 99),
	}},
	{"Playbook", `Curating is deciding what one insight does to the book, without embedding it, in time of one core; the reference is a plain loop over
the same vectors. Lessons that mean the same are found at a cosine of 0.8; the guard keeps apart those that only look alike. The guard was
tuned on the first set of labelled pairs: quote the second.`, []figure{
		curate(1_000), curate(10_000, atMost("cpu-p99-ms", 5, "p99 ≤ 5 ms")), curate(100_000, atMost("cpu-p99-ms", 20, "p99 ≤ 20 ms")),
		{
			what: "one embedding of the built-in model", source: source{"internal/embed", "Vec"},
			show: []measure{{"p50-µs", microseconds, "p50"}, {"p99-µs", microseconds, "p99"}},
		},
		pairs("labelled pairs, without the guard", "pairs.tsv/guard=off"), pairs("labelled pairs, with the guard", "pairs.tsv/guard=on"),
		pairs("held-out pairs, without the guard", "pairs_held_out.tsv/guard=off"), pairs("held-out pairs, with the guard", "pairs_held_out.tsv/guard=on"),
	}},
	{"Contexts, staleness, snapshot", `A context is assembled on SQLite in a warm process that has read ahead as a server does, from 500 preselected candidates, their semantic scores included; the tasks pin three
artifacts each, whose links and tags lead to others.`, []figure{
		assemble("question", 1_000), assemble("question", 10_000), assemble("question", 100_000), assemble("task", 1_000), assemble("task", 10_000), assemble("task", 100_000),
		dependents("list what is stale", "list"), dependents("snapshot of that project", "snapshot"),
	}},
	{"What is found", `The Cranfield collection, 1,398 abstracts and 225 questions, through the service: nDCG@10 of search, of contexts for the questions, and of
contexts for tasks, the lowest of five wordings. The collection is no part of the project and is measured where it lies beside it.`, []figure{
		found("SQLite"), found("PostgreSQL"),
	}},
	{"What is found in conversations and in a project", `Both are generated by a program, with known answers. Conversations: one artifact a turn, each linked
with the one it answers; 96 questions about the half of them that no constant was looked at on; recall@10. The project: 250 artifacts about ten
subjects, nearly half of the telling words of each text are of others; of a hundred shown, how many are relevant, and of the budget how much is
used at least.`, []figure{
		talks("SQLite", 60, 2_757), talks("PostgreSQL", 60, 2_757), talks("SQLite", 2600, 104_906), talks("PostgreSQL", 2600, 104_906),
		relevant("SQLite"), relevant("PostgreSQL"),
	}},
	{"Retrieval at scale", `Contexts for a question of 30 words from 100,000 notes of 150 to 300 words, by a process that has read them ahead as a server does when
it starts, and before it had, after 50 others; and the slowest of the first ten searches after a bulk load of 20,000; beside them a loop that only computes, in the same minute.`, []figure{
		atScale("SQLite", 20), atScale("PostgreSQL", 40),
		{
			what: "indexing a text of 150 to 300 words, without the database", source: source{"retrieval", "Build"},
			show: []measure{{"cpu-µs/text", microseconds, ""}}, goals: []goal{atMost("cpu-µs/text", 100, "≤ 100 µs")},
		},
	}},
	{"Server", `Tools called through MCP over HTTP with a token, on a project of 300 notes, writes synced to disk; beside them the same calls of the
service by as many callers without a network, and how many times more requests a server takes that only sends as many bytes. Artifacts are read by a
person and nothing is written meanwhile, so that rows are recalled (ADR 185); an agent's read is charged, which is a write, and gains little from that.`, concat(
		tool("SQLite", "sqlite", "artifact_get"), tool("SQLite", "sqlite", "delta_submit"), tool("SQLite", "sqlite", "context_assemble"),
		tool("PostgreSQL", "postgres", "artifact_get"), tool("PostgreSQL", "postgres", "delta_submit"), tool("PostgreSQL", "postgres", "context_assemble"),
	)},
	{"Sessions", `A reply of one delta, handed in to the service on SQLite while others wait in its session to be compiled, or stand in its document: half of them add
an item, half change one that their author added. Processor time of all that the process does meanwhile.`, []figure{
		waiting("10 deltas wait", "waiting=10/document=0", ""),
		waiting("300 deltas wait", "waiting=300/document=0", "waiting=10/document=0"),
		waiting("3,000 deltas wait", "waiting=3000/document=0", "waiting=10/document=0", atMost(ratioOf, 1.5, "≤ 1.5×")),
		waiting("10 deltas wait, 3,000 items in the document", "waiting=10/document=3000", "waiting=10/document=0", atMost(ratioOf, 1.5, "≤ 1.5×")),
	}},
	{"Pages", "Each page of the web UI over a project of 100,000 artifacts, beside an answer of the same server that asks the store for nothing.", []figure{{
		source: source{"internal/web", "Page/*"},
		show:   []measure{{"p50-ms", milliseconds, "p50"}, {"p99-ms", milliseconds, "p99"}, {"KiB", number("KiB"), ""}},
		beside: reference{what: "a static file", ratio: "p50/idle"},
		goals:  []goal{atMost("p99-ms", 100, "p99 ≤ 100 ms"), atMost("KiB", 150, "≤ 150 KiB")},
	}}},
	{"Runs", `Agents at work: three scripted ones asked at once by a process of its own, and 20 runs at once whose programs are processes that use the
tools over MCP; the memory is the most that the runner had for itself.`, []figure{
		{
			what: "`brenner ask` with three agents, over what they take themselves", source: source{inProgram, "Ask"},
			show: []measure{{"over-ms", milliseconds, ""}}, goals: []goal{atMost("over-ms", 1000, "≤ 1 s")},
		},
		{
			what: "memory of the runner, 20 runs at once", source: source{inProgram, "Runs"},
			show: []measure{{"MB", number("MB"), ""}}, goals: []goal{under("MB", 300, "< 300 MB")},
		},
	}},
	{"Agents that have only the tools", `Three agents do a whole job over MCP: a question, measurements, a session that compiles twice, a request, a patch, a
disagreement and its verdict, in scripted calls that each follow what an answer before said. Counted is the agent that has most of each;
beside its answers the tokens of the session and the artifacts as raw JSON, once.`, []figure{{
		what: "the whole job of one agent", source: source{inTools, "Story"},
		show: []measure{
			{"tokens/agent", number("tokens of answers"), ""},
			{"calls/agent", number("calls"), ""},
			{"errors/agent", number("refusals"), ""},
		},
		beside: reference{what: "raw JSON", metric: "raw-tokens"},
		goals: []goal{
			atMost("calls/agent", 25, "≤ 25 calls"), atMost("errors/agent", 0, "no refusal"), atMost("tokens/agent", 12_000, "≤ 12,000 tokens"),
		},
	}}},
	{"Start", `The program as it is released, fifty times: the processor time of a command that does nothing, and how long a client waits for
` + "`brenner mcp`" + ` to answer initialize and tools/list.`, []figure{
		{
			what: "`brenner version`", source: source{inProgram, "Start"}, show: []measure{{"version-cpu-ms", milliseconds, ""}},
			beside: reference{what: "a program that does nothing", metric: "nothing-cpu-ms"},
			goals:  []goal{atMost("version-cpu-ms", 8, "≤ 8 ms")},
		},
		{
			what: "`brenner mcp`, until the tools are listed", source: source{inProgram, "Start"}, show: []measure{{"tools-ms", milliseconds, ""}},
			goals: []goal{atMost("tools-ms", 40, "≤ 40 ms")},
		},
		{
			what: "the program", source: source{inProgram, "Start"}, show: []measure{{"MB", number("MB"), ""}},
			beside: reference{what: "one that does nothing", metric: "nothing-MB"},
			goals:  []goal{atMost("MB", 45, "≤ 45 MB")},
		},
	}},
	{"Demo", "The whole story, every step a process of its own.", []figure{{
		what: "`brenner demo`", source: source{inProgram, "Demo"},
		show:   []measure{{"ns/op", nanoseconds, ""}},
		beside: reference{what: "as many starts of the program that do nothing", metric: "starts-ns"},
		goals:  []goal{atMost("ns/op", 60e9, "≤ 60 s")},
	}}},
}

func concat(lists ...[]figure) []figure {
	var all []figure
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func write(what string, s source, beside, metric, ratio string, least float64) figure {
	return figure{
		what: what, source: s, show: []measure{{"ns/op", rate, ""}}, beside: reference{what: beside, metric: metric, ratio: ratio},
		goals: []goal{atLeast(ratioOf, least, "≥ "+times(least))},
	}
}

// durable is writes through the service.
func durable(what, name string, least float64) figure {
	return figure{
		what: "SQLite, service, " + what, source: source{inService, "Durable/" + name},
		show: []measure{
			{"writes/s", perSecond, ""},
			{"p50-ms", milliseconds, "p50"},
			{"p99-ms", milliseconds, "p99"},
			{"cpu-µs/write", microseconds, "processor"},
			{"cpu-µs/rows-beside", microseconds, "that of the rows"},
		},
		beside: reference{what: "the same rows", metric: "rows-beside/s", ratio: "same"},
		goals:  []goal{atLeast(ratioOf, least, "≥ "+times(least)), atMost("p99/p50", 5, "p99 ≤ 5 × p50")},
	}
}

// grows is a read at three sizes; the goal is about the largest.
func grows(what string, s source) []figure {
	at := func(n int, goals ...goal) figure {
		f := figure{
			what: fmt.Sprintf("%s of %s", what, significant(float64(n))), source: source{s.pkg, fmt.Sprint(s.name, n)},
			show: []measure{{"ns/op", nanoseconds, ""}}, goals: goals,
		}
		if n > 1_000 {
			f.beside = reference{what: "of 1,000", of: fmt.Sprint(s.name, 1_000), metric: "ns/op"}
		}
		return f
	}
	return []figure{at(1_000), at(10_000), at(100_000, under(ratioOf, 1.5, "< 1.5×"))}
}

func disk(what string, s source, ratio string, more ...measure) figure {
	return figure{
		what: what, source: s, show: append([]measure{{"B/version", number("B"), ""}}, more...), beside: reference{what: "the content", ratio: ratio},
		goals: []goal{atMost(ratioOf, 2.5, "≤ 2.5×")},
	}
}

func merge(n int, more ...goal) figure {
	return figure{
		what: fmt.Sprintf("merge of %s deltas", significant(float64(n))), source: source{"delta", fmt.Sprint("Merge/deltas=", n)},
		show:   []measure{{"cpu-ns", nanoseconds, ""}, {"allocs/op", number("allocations"), ""}},
		beside: reference{what: "of " + significant(float64(n/10)), of: fmt.Sprint("Merge/deltas=", n/10), metric: "cpu-ns"},
		goals:  append(more, atMost(ratioOf, 11, "≤ 11×")),
	}
}

// shape is a set of deltas made to cost more than its size, merged, shown and
// judged, beside a tenth of it.
func shape(what, name string) figure {
	return figure{
		what: "100,000 deltas: " + what, source: source{"delta", "Shapes/" + name},
		show:   []measure{{"cpu-ns/100000", nanoseconds, ""}, {"bare-x", significant, "growth of a pass that only sorts and keeps them"}},
		beside: reference{what: "10,000 of them", metric: "cpu-ns/10000", ratio: "x"}, goals: []goal{atMost("x", 11, "≤ 11×")},
	}
}

func textDiff(what, name string) figure {
	return figure{
		what: "diff of a text of 1 MB, " + what, source: source{"anchor", "Diff/" + name}, show: []measure{{"ns/op", nanoseconds, ""}},
		beside: reference{what: "git diff", metric: "git-diff-ns", ratio: "x-git-diff"},
	}
}

func fault(what, metric string, least float64) figure {
	return figure{
		what: what, source: source{"anchor", "Faults"}, show: []measure{{metric, number("%"), ""}},
		goals: []goal{atLeast(metric, least, "≥ "+significant(least)+" %")},
	}
}

func curate(n int, goals ...goal) figure {
	return figure{
		what: fmt.Sprintf("curate one insight among %s bullets", significant(float64(n))), source: source{"playbook", fmt.Sprint("Curate/bullets=", n)},
		show:   []measure{{"cpu-p50-ms", milliseconds, "p50"}, {"cpu-p99-ms", milliseconds, "p99"}},
		beside: reference{what: "a plain loop", metric: "plain-loop-ms"}, goals: goals,
	}
}

func pairs(what, name string) figure {
	return figure{what: what, source: source{"internal/embed", "LabelledPairs/" + name}, show: []measure{
		{"precision", significant, "precision"},
		{"recall", significant, "recall"},
		{"spearman", significant, "rank correlation"},
		{"pairs", number("pairs"), ""},
	}}
}

func assemble(of string, n int) figure {
	f := figure{
		what:   fmt.Sprintf("context for a %s from %s artifacts", of, significant(float64(n))),
		source: source{inService, fmt.Sprintf("Context/%s/artifacts=%d", of, n)},
		show: []measure{
			{"p50-ms", milliseconds, "p50"},
			{"p99-ms", milliseconds, "p99"},
			{"cpu-p50-ms", milliseconds, "processor p50"},
			{"cpu-p99-ms", milliseconds, "p99"},
		},
	}
	if n > 1_000 {
		f.beside = reference{what: "from 1,000", ratio: "growth"}
	}
	switch n {
	case 1_000:
		f.goals = []goal{atMost("p50-ms", 3, "≤ 3 ms")}
	case 100_000:
		f.goals = []goal{under(ratioOf, 3, "< 3×"), atMost("p99-ms", 20, "p99 ≤ 20 ms")}
	}
	return f
}

func found(database string) figure {
	return figure{
		what: database, source: source{"internal/quality", "Cranfield/" + database},
		show: []measure{
			{"search-nDCG@10", significant, "search"},
			{"context-nDCG@10", significant, "contexts"},
			{"worst-task-nDCG@10", significant, "tasks"},
		},
		goals: []goal{atLeast("search-nDCG@10", 0.42, "search ≥ .42"), atLeast("worst-task-nDCG@10", 0.38, "tasks ≥ .38")},
	}
}

func talks(database string, others, turns int) figure {
	f := figure{
		what: fmt.Sprintf("conversations, %s, %s turns", database, significant(float64(turns))), source: source{"internal/quality", fmt.Sprintf("Conversations/%s/others=%d", database, others)},
		show: []measure{
			{"search-recall@10", significant, "search"},
			{"context-recall@10", significant, "contexts"},
			{"worst-task-recall@10", significant, "tasks"},
		},
		goals: []goal{atLeast("context-recall@10", 0.70, "contexts ≥ .70"), atLeast("worst-task-recall@10", 0.60, "tasks ≥ .60")},
	}
	if others > 60 {
		f.goals[0] = atLeast("context-recall@10", 0.68, "contexts ≥ .68")
	}
	return f
}

func relevant(database string) figure {
	return figure{
		what: "a project, " + database, source: source{"internal/quality", "Project/" + database},
		show: []measure{
			{"relevant-of-100-in-the-first-ten", significant, "of the first ten"},
			{"relevant-of-100-shown", significant, "of all shown"},
			{"relevant-of-100-of-search", significant, "search"},
			{"least-budget-used-%", number("%"), "budget"},
		},
		goals: []goal{atLeast("relevant-of-100-shown", 65, "≥ 65 of 100"), atLeast("least-budget-used-%", 70, "≥ 70 %")},
	}
}

func atScale(database string, most float64) figure {
	return figure{
		what: database + ", a context from 100,000 notes", source: source{"internal/quality", "AtScale/" + database},
		show: []measure{
			{"p50-ms", milliseconds, "p50"},
			{"p99-ms", milliseconds, "p99"},
			{"cpu-p50-ms", milliseconds, "processor p50"},
			{"cpu-p99-ms", milliseconds, "p99"},
			{"cold-p50-ms", milliseconds, "before it was read ahead p50"},
			{"cold-p99-ms", milliseconds, "p99"},
			{"first-search-ms", milliseconds, "first searches"},
		},
		beside: reference{what: "p99 of a loop that computes", metric: "reference-p99-ms"},
		goals: []goal{
			atMost("p99-ms", most, fmt.Sprintf("p99 ≤ %v ms", most)),
			atMost("first-search-ms", 100, "first searches ≤ 100 ms"),
		},
	}
}

func dependents(what, name string) figure {
	return figure{
		what: what + ", 10,000 dependents", source: source{inService, "Stale/" + name + "/dependents=10000"}, show: []measure{{"ns/op", nanoseconds, ""}},
		beside: reference{what: "100 dependents", of: "Stale/" + name + "/dependents=100", metric: "ns/op"},
	}
}

// waiting is a reply handed in to a session, beside one in which hardly anything waits.
func waiting(what, name, beside string, goals ...goal) figure {
	f := figure{
		what: "a reply, " + what, source: source{inService, "DeltasWaiting/sqlite/" + name},
		show: []measure{{"cpu-µs/reply", microseconds, ""}, {"p50-ms", milliseconds, "p50"}, {"p99-ms", milliseconds, "p99"}}, goals: goals,
	}
	if beside != "" {
		f.beside = reference{what: "10 deltas wait", of: "DeltasWaiting/sqlite/" + beside, metric: "cpu-µs/reply"}
	}
	return f
}

// tool is a tool called by 1, 16 and 64 clients.
func tool(what, store, name string) []figure {
	var out []figure
	for _, clients := range []int{1, 16, 64} {
		var goals []goal
		if store == "sqlite" && name == "artifact_get" && clients == 16 {
			goals = []goal{atLeast("bytes-req/s", 5000, "≥ 5,000/s, clients that only send and read")}
		}
		out = append(out, figure{
			what:   fmt.Sprintf("%s, `%s`, clients: %d", what, name, clients),
			source: source{inProgram, fmt.Sprintf("Server/%s/%s/clients=%d", store, name, clients)},
			show: []measure{
				{"req/s", perSecond, ""},
				{"p99-ms", milliseconds, "p99"},
				{"bytes-req/s", perSecond, "clients that only send and read"},
				{"x-http", times, "bare HTTP takes"},
			},
			beside: reference{what: "the service itself", times: "x-direct"},
			goals:  goals,
		})
	}
	return out
}
