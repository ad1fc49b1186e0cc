// Package delta merges what several agents say into one session artifact, with
// the same result in any order.
//
// A session artifact has seven sections of numbered items: the research
// thread, hypotheses, predictions, tests, assumptions, anomalies, critiques
// (see Schemas). Agents never write it; they send deltas, each of which adds
// an item, edits fields of one or kills one. Merge folds deltas into an
// artifact:
//
//	result := delta.Merge(base, entries, delta.Options{Priority: agents})
//
// An item is the list of deltas admitted to it, kept in one total order
// (order.go). What an item shows is computed from that list (view.go): the
// latest write of each field, the union of each list, and an explicit conflict
// where nothing decides between two values. So a delta that arrives late takes
// its place in the order instead of overwriting what is newer, and the JSON of
// an artifact is all that a later merge needs.
//
// Around the merge stand the ways in (Parse for one delta, ReadDeltas for a
// file or a reply, Extract for Markdown), the ways out (Render, the JSON of
// Artifact, Compare between two versions) and the judges (Lint,
// CheckReferences, Artifact.Conflicts).
//
// Everything here is pure: instants and ids come in as values, inputs are
// never changed, and an Artifact is immutable, so versions share what they
// have in common.
package delta
