// Package answers keeps what code answers to many inputs, for tests that notice
// when any of them changes. A file has a block for each kind of input: how many
// answers there are, the digest of them all, and the beginning of the first one
// in words, so that who changes an answer sees which kinds it changes and can say
// whether that was meant.
//
//	BRENNER_UPDATE=1 go test ./delta      takes what is answered now for right
//	BRENNER_ANSWERS=DIR go test ./delta   writes every answer in full below DIR
//
// The second, done before and after a change, gives two directories to compare.
package answers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// A Book is the answers of one test.
type Book struct {
	file  string
	lines int
	kinds []*kind
	at    map[string]*kind
}

type kind struct {
	name  string
	n     int
	first string
	all   strings.Builder
}

// New begins a book that is kept in a file, with so many lines of the first
// answer of each kind.
func New(file string, lines int) *Book {
	return &Book{file: file, lines: lines, at: map[string]*kind{}}
}

// Note adds what was answered to an input of a kind.
func (b *Book) Note(name, input, answer string) {
	k := b.at[name]
	if k == nil {
		k = &kind{name: plainName(name), first: answer}
		b.kinds, b.at[name] = append(b.kinds, k), k
	}
	k.n++
	fmt.Fprintf(&k.all, "⟶ %s\n%s\n\n", input, answer)
}

// plainName is a name on one line without what parts it from the answer.
func plainName(name string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(name), " "), parting, " ¦ ")
}

// parting stands between a name and what is kept under it.
const parting = " | "

// Check compares the book with its file, or rewrites that.
func (b *Book) Check(t testing.TB) {
	t.Helper()
	files.Lock()
	defer files.Unlock()
	blocks, err := read(b.file)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range b.kinds {
		blocks = keep(t, b.file, blocks, block{k.name, fmt.Sprintf("%d, %s%s", k.n, Digest(k.all.String()), opening(k.first, b.lines))}, k.all.String())
	}
	blocks = slices.DeleteFunc(blocks, func(x block) bool {
		gone := !slices.ContainsFunc(b.kinds, func(k *kind) bool { return k.name == x.name })
		if gone && !updating() {
			t.Errorf("%s: nobody asks about %q any more; BRENNER_UPDATE=1 forgets it", b.file, x.name)
		}
		return gone
	})
	if updating() {
		write(t, b.file, blocks)
	}
}

// Digest stands for a text.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// width is how much of a line is shown.
const width = 200

// opening is the beginning of an answer, each line indented.
func opening(text string, lines int) string {
	var out strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > lines {
			break
		}
		line = strings.TrimRight(line, "\r\n")
		if len(line) > width {
			end := width
			for !utf8.RuneStart(line[end]) {
				end--
			}
			line = line[:end] + "…"
		}
		out.WriteString("\n  " + line)
	}
	return out.String()
}

// block is what is kept under a name: a line, and lines below it that are
// indented.
type block struct{ name, text string }

// files are read and written by one test at a time.
var files sync.Mutex

// Keep compares what is said under a name with what a file keeps, or changes the
// file. Whole is the answer itself, for who wants to see it.
func Keep(t testing.TB, file, name, said, whole string) {
	t.Helper()
	files.Lock()
	defer files.Unlock()
	blocks, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks = keep(t, file, blocks, block{plainName(name), said}, whole)
	if updating() {
		write(t, file, blocks)
	}
}

// keep compares a block with that of its name, and gives the blocks with it.
func keep(t testing.TB, file string, blocks []block, b block, whole string) []block {
	t.Helper()
	if dir := os.Getenv("BRENNER_ANSWERS"); dir != "" {
		writeWhole(t, filepath.Join(dir, filepath.Base(file)), b.name, whole)
	}
	i := slices.IndexFunc(blocks, func(x block) bool { return x.name == b.name })
	switch {
	case i >= 0 && blocks[i].text == b.text || updating():
	case i < 0:
		t.Errorf("%s does not know %q, of which it is said now:\n%s\nBRENNER_UPDATE=1 keeps that", file, b.name, b.text)
	default:
		t.Errorf("%s: what is answered to %q changed\nfrom %s\nto   %s\nBRENNER_ANSWERS=DIR, before and after, gives all of it to compare; BRENNER_UPDATE=1 keeps the new one", file, b.name, blocks[i].text, b.text)
	}
	if i < 0 {
		return append(blocks, b)
	}
	blocks[i] = b
	return blocks
}

func updating() bool { return os.Getenv("BRENNER_UPDATE") != "" }

func read(file string) ([]block, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []block
	for line := range strings.Lines(string(text)) {
		if n := len(all); strings.HasPrefix(line, "  ") && n > 0 {
			all[n-1].text += "\n" + strings.TrimSuffix(line, "\n")
			continue
		}
		name, said, _ := strings.Cut(strings.TrimSuffix(line, "\n"), parting)
		all = append(all, block{name, said})
	}
	return all, err
}

func write(t testing.TB, file string, blocks []block) {
	t.Helper()
	slices.SortStableFunc(blocks, func(a, b block) int { return strings.Compare(a.name, b.name) })
	var out strings.Builder
	for _, b := range blocks {
		fmt.Fprintf(&out, "%s%s%s\n", b.name, parting, b.text)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeWhole writes an answer in full below a directory.
func writeWhole(t testing.TB, dir, name, whole string) {
	t.Helper()
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, plain+".txt"), []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
}
