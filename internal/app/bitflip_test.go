package app_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/sqlite"
)

// J3, X7: whatever single bit of the file is turned over, the project either says
// so, with a code, or is the same as before, record by record and content by
// content. It never falls over, and is never silently another.
func TestVerify_AnyFlippedBitIsFoundOrHarmless(t *testing.T) {
	skipShort(t)
	rounds := 100
	if soak() {
		rounds = 2000
	}
	path, open := project(t)
	svc, done := open()
	var want bytes.Buffer
	if _, err := svc.Export(t.Context(), &want); err != nil {
		t.Fatal(err)
	}
	done() // the write-ahead log goes into the file
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	chance := rand.New(rand.NewPCG(16, 11))
	found := map[string]int{}
	for i := range rounds {
		bit := chance.IntN(len(whole) * 8)
		for i%10 > 0 && whole[bit/8] == 0 { // most of a small file is empty
			bit = chance.IntN(len(whole) * 8)
		}
		damaged := bytes.Clone(whole)
		damaged[bit/8] ^= 1 << (bit % 8)
		file := filepath.Join(dir, fmt.Sprintf("%d.db", i))
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := lookAt(t, file, want.Bytes())
		if err != nil {
			t.Errorf("bit %d of byte %d: %v", bit%8, bit/8, err)
		}
		found[said]++
		for _, name := range []string{file, file + "-wal", file + "-shm"} {
			_ = os.Remove(name)
		}
	}
	t.Logf("%d bits of a file of %d bytes: %v", rounds, len(whole), found)
	if len(found) < 2 {
		t.Error("all of them say the same")
	}
}

// lookAt says how a damaged file shows: the code that opening, verifying or
// exporting it gives, or that it is harmless. An error is a damage that nobody
// names.
func lookAt(t *testing.T, file string, want []byte) (string, error) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), file, sqlite.Options{})
	if err != nil {
		return coded("open", err)
	}
	defer func() { _ = s.Close() }()
	a := app.New(s, app.Options{
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
	svc := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	res, err := svc.Verify(t.Context(), api.VerifyRequest{})
	if err != nil {
		return coded("verify", err)
	}
	if !res.OK {
		return "verify finds it", nil
	}
	var got bytes.Buffer
	if _, err := svc.Export(t.Context(), &got); err != nil {
		return coded("export", err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		return "", fmt.Errorf("verify says ok, and the export is another")
	}
	if _, err := svc.SearchArtifacts(t.Context(), api.SearchArtifactsRequest{Text: "number"}); err != nil {
		return coded("search", err)
	}
	return "harmless", nil
}

// coded is a refusal with a code that says what is wrong, not an unknown fault.
func coded(doing string, err error) (string, error) {
	if code := brenner.CodeOf(err); code != brenner.CodeInternal && code != "" {
		return doing + " " + string(code), nil //nolint:nilerr // a refusal with a code is what is wanted
	}
	return "", fmt.Errorf("%s: %w", doing, err)
}
