// Package assembly decides what an agent sees: it picks artifacts and lessons
// for one role and one task, inside a hard budget, and can say why each of them
// is there and why every other is not.
//
// What a role receives is its View: which types, as summaries or in full, how
// many of each, within which budget, weighed how. Views are data (the content of
// context_view artifacts); Builtin gives those every project starts with.
//
// A caller that wants a context goes three steps:
//
//	found := …                                        // ask the store: links, tags, recency, full text
//	leads, rest := assembly.Preselect(found, brenner.MaxCandidates)
//	candidates := …                                   // load summaries, score vectors, ask the policy
//	context, err := assembly.Assemble(assembly.Input{View: view, Candidates: candidates, …})
//
// Assemble is a function of its input alone: the same input gives the same
// bytes, in whatever order candidates come. The mandatory parts (overview,
// task, pinned inputs) go in first, or CONTEXT_OVERFLOW says what is too large;
// then candidates by rank, in full where the view asks for it, as a summary
// where the full text does not fit; then lessons of the playbook. What is
// counted is the final text, byte for byte as the agent gets it.
//
// Text of artifacts is data. It stands in fences longer than any run of
// backticks inside it, so that nothing an artifact says can pass for a heading,
// for another artifact or for the task.
package assembly
