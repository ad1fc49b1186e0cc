// Package anchor edits text by quoting it.
//
// A Patch (protocol anchor_diff_v2.1) names a base text by checksum and lists
// operations. Each quotes an anchor, a piece of the base, and the old block
// that immediately follows it, and says what takes the old block's place. All
// positions are resolved against the base, so the order of groups does not
// matter; either every operation fits in exactly one place or nothing happens.
//
//	base, err := anchor.Canonical(fileBytes)
//	p, err := anchor.Parse(patchJSON)
//	res, err := anchor.Apply(p, base)
//	newBytes := res.Text.Bytes()
//
// Checksums and positions are over canonical text: UTF-8 without a byte order
// mark, lines ending in LF. A Text remembers how its file spelled them, and
// Bytes gives that spelling back.
//
// When a patch does not fit, Explain says why in terms of what the author most
// likely got wrong, and offers a corrected patch only if it has been applied
// successfully. Diff and Reverse make patches; Rebase moves one to a newer
// text; Plan applies a set of patches to many files, all or nothing.
//
// The package is pure: it reads no file, no clock and no environment.
package anchor
