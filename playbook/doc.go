// Package playbook keeps lessons that count evidence and never rewrite
// themselves.
//
// A lesson is a Bullet: one sentence in one Section (helpful, harmful or
// neutral) of one Domain. Its content never changes. When somebody learns the
// same thing again, the bullet that says it already is found by the cosine of
// their vectors and one of its counters goes up; when nobody has said it, a new
// bullet begins in the SHADOW stage. Counters move bullets up through gates, or
// into quarantine when the evidence turns against them.
//
// A Book is the state of one domain, held in memory. Every use case is a
// method that reads the book and returns a Change, a list of DeltaUpdate
// records, without touching anything:
//
//	change, err := book.Curate(insights, options)   // decide
//	…                                               // the caller journals change.Updates
//	err = book.Commit(change.Change)                // the book moves on
//
// Records carry everything needed to redo them, so replaying a journal through
// Commit rebuilds the book and never embeds a text. They chain: each names the
// digest of its bullet before and after, and Commit refuses a record that does
// not fit. Time, ids and vectors come in as values.
package playbook
