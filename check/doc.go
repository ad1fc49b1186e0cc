// Package check looks for drift: artifacts that stray from the project's brief,
// and modules that take opposite things for granted.
//
// Alignment (C24) reads core artifacts paragraph by paragraph against a Brief:
// what is out of scope, what breaks a constraint, what does not rest on the
// brief at all or rests on an old one. Assumptions (C25) compares what modules
// assume: structured assumptions that cannot both hold, and sentences that are
// nearly the same but for a negation or a number.
//
// A Finding names the place and quotes it, and becomes the content of a critique
// artifact. Checks judge nothing: a finding is a reason to look, and a person or
// a critic decides. Everything is a function of its input; vectors come from
// whoever can make them, and without them only words are compared.
package check
