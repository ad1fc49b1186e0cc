package postgres_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"runtime"
	"testing"

	"brenner"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/postgres"
)

// Contents of every length come back as they were, packed or not, in every way
// they are asked for; and what was stored before contents were packed as well.
func TestBlobs_ComeBackAsTheyWere(t *testing.T) {
	address := pgtest.Open(t)
	s, conn := open(t, address), connect(t, address)
	noise := make([]byte, 5000)
	_, _ = rand.Read(noise)
	prose := bytes.Repeat([]byte("When oxygen falls the larvae leave the deep water. "), 3000)
	contents := map[string][]byte{
		"nothing": {}, "one byte again and again": bytes.Repeat([]byte{7}, 1<<20), "short": prose[:100], "prose": prose[:2048], "long prose": prose, "what does not pack": noise, "from before": prose[:3000],
	}
	packed := map[string]bool{"one byte again and again": true, "prose": true, "long prose": true}
	digests := map[brenner.Digest]string{}
	if err := s.Write(t.Context(), func(tx store.Tx) error {
		for name, content := range contents {
			d := store.DigestOf(sha256.Sum256(content))
			digests[d] = name
			if name == "from before" {
				continue
			}
			if err := tx.PutBlob(t.Context(), d, content); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	before := sha256.Sum256(contents["from before"])
	if _, err := conn.Exec(t.Context(), `INSERT INTO brenner.blobs (project, digest, body) SELECT project, $1, $2 FROM brenner.projects`, before[:], contents["from before"]); err != nil {
		t.Fatal(err)
	}

	check := func(how string, d brenner.Digest, got []byte) {
		t.Helper()
		if want := contents[digests[d]]; !bytes.Equal(got, want) {
			t.Errorf("%s, %s: %d bytes that are not the %d of the content", digests[d], how, len(got), len(want))
		}
	}
	if err := s.Read(t.Context(), func(r store.Reader) error {
		var all []brenner.Digest
		for d, name := range digests {
			all = append(all, d)
			content, err := r.Blob(t.Context(), d)
			if err != nil {
				return err
			}
			check("alone", d, content)
			content, length, err := r.SmallBlob(t.Context(), d, int64(len(contents[name])))
			if err != nil || length != int64(len(contents[name])) {
				t.Errorf("%s has %d bytes (%v), not %d", name, length, err, len(contents[name]))
			}
			check("if small", d, content)
			// The bound is one of the content, not of what is kept.
			if content, length, err = r.SmallBlob(t.Context(), d, int64(len(contents[name]))-1); err != nil || content != nil || length != int64(len(contents[name])) {
				t.Errorf("%s over the bound: %d bytes of %d, %v", name, len(content), length, err)
			}
		}
		for how, each := range map[string]func(fn func(d brenner.Digest, content []byte) error) error{
			"together": func(fn func(d brenner.Digest, content []byte) error) error {
				return r.Blobs(t.Context(), all, 1<<20, fn)
			},
			"in turn": func(fn func(d brenner.Digest, content []byte) error) error { return r.EachBlob(t.Context(), fn) },
		} {
			n := 0
			if err := each(func(d brenner.Digest, content []byte) error { n++; check(how, d, content); return nil }); err != nil {
				return err
			}
			if n != len(contents) {
				t.Errorf("%s: %d contents, not %d", how, n, len(contents))
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}

	for d, name := range digests {
		sum, _ := store.Sum(d)
		var length int
		var is bool
		if err := conn.QueryRow(t.Context(), `SELECT length(body), size IS NOT NULL FROM brenner.blobs WHERE digest = $1`, sum[:]).Scan(&length, &is); err != nil {
			t.Fatal(err)
		}
		if is != packed[name] || is != (length < len(contents[name])) {
			t.Errorf("%s is kept in %d bytes of %d, packed: %v", name, length, len(contents[name]), is)
		}
	}
}

// What was changed in the database does not unpack, or to something else: it is
// read all the same, and does not have the hash it goes by.
func TestBlobs_TamperedPackedOnesAreRead(t *testing.T) {
	address := pgtest.Open(t)
	s, conn := open(t, address), connect(t, address)
	content := bytes.Repeat([]byte("When oxygen falls the larvae leave the deep water. "), 40)
	d := store.DigestOf(sha256.Sum256(content))
	if err := s.Write(t.Context(), func(tx store.Tx) error { return tx.PutBlob(t.Context(), d, content) }); err != nil {
		t.Fatal(err)
	}
	body, size := postgres.Pack(content)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, change := range []string{`body = set_byte(body, 20, get_byte(body, 20) # 255)`, `body = substring(body for 10)`, `body = ''`, `size = size + 1`, `size = 2147483647`, `size = -1`, `size = 5`} {
		if _, err := conn.Exec(t.Context(), `UPDATE brenner.blobs SET body = $1, size = $2`, body, size); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), `UPDATE brenner.blobs SET `+change); err != nil {
			t.Fatal(err)
		}
		if err := s.Read(t.Context(), func(r store.Reader) error {
			got, err := r.Blob(t.Context(), d)
			if err == nil && store.DigestOf(sha256.Sum256(got)) == d {
				t.Errorf("after %s the content has its hash", change)
			}
			return err
		}); err != nil {
			t.Errorf("after %s: %v", change, err)
		}
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<30 {
		t.Errorf("%d bytes of memory were made for a size that cannot be", after.TotalAlloc-before.TotalAlloc)
	}
}
