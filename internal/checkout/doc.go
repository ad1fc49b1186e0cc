// Package checkout lets people and programs work on artifacts as Markdown
// files (X6).
//
// Out writes artifacts below a directory, one file each, at
// MODULE/TYPE/ID.md: front matter in YAML, then the content. A manifest,
// .brenner-checkout, remembers which version every file was and what its bytes
// were. In turns the files that differ from it into new versions, in one batch,
// and brings files and manifest up to date. Add takes notes from anywhere into
// the project.
//
// Files are untrusted: names are checked before they are used, YAML is read
// without anchors, aliases or tags, symbolic links are not followed, and
// nothing outside the directory is read or written. Writing goes through
// package patchfs, so that files and manifest change together or not at all.
package checkout
