// Package archtest holds no code: its tests check what no compiler and no
// linter knows about this module.
//
//   - layers_test.go: which package may import which, a table with a row for
//     every package.
//   - purity_test.go: the protocol packages have no clock, randomness,
//     goroutine, lock, log or file, and no order that comes from a map.
//   - registry_test.go: every code has one row, a use, a test and a document
//     entry, and no code is spelled out anywhere else.
//   - systems_test.go: what is built for other systems than this one would be.
//   - documents_test.go: every dependency is explained, every command shown to
//     a reader works, every link leads somewhere, no file names a machine.
package archtest
