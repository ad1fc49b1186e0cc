package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"brenner"
	"brenner/canon"
	"brenner/internal/store"
)

// DigestVersion counts the forms that the rows of the derived tables have had.
// It goes up whenever the same journal gives another digest; digests are
// compared only within a version, records and root always (J8).
const DigestVersion = 2

// Digest is the state digest: one hash over every row of every derived table,
// in key order (J4). Two stores with the same digest hold the same project.
// Outside it, because they are not derived from the journal: tokens, audit,
// vectors, the full-text index, caches.
func Digest(ctx context.Context, r store.Reader) (brenner.Digest, error) {
	h := sha256.New()
	for _, t := range store.Tables() {
		_, _ = h.Write([]byte(t + "\n"))
		err := r.Each(ctx, t, func(row any) error {
			b, err := canon.Marshal(row)
			if err != nil {
				return err
			}
			_, _ = h.Write(append(b, '\n'))
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return brenner.Digest(hex.EncodeToString(h.Sum(nil))), nil
}
