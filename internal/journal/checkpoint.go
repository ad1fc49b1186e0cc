package journal

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"brenner"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint says what the journal was at a size: a signed note of three
// lines (project, size, root). Kept somewhere else, it shows later whether
// history was rewritten or cut (J2, J3).
type Checkpoint struct {
	Project brenner.ProjectID
	Size    int64
	Root    tlog.Hash
}

const origin = "brenner/"

func (c Checkpoint) text() string {
	return fmt.Sprintf("%s%s\n%d\n%s\n", origin, c.Project, c.Size, c.Root)
}

// Sign gives the checkpoint as a signed note.
func (c Checkpoint) Sign(secretKey string) ([]byte, error) {
	signer, err := note.NewSigner(secretKey)
	if err != nil {
		return nil, brenner.Errorf(brenner.CodeCheckpointInvalid, "the signing key cannot be used").Because(err)
	}
	return note.Sign(&note.Note{Text: c.text()}, signer)
}

// OpenCheckpoint reads a signed note, or reports CHECKPOINT_INVALID.
func OpenCheckpoint(signed []byte, publicKey string) (Checkpoint, error) {
	bad := func(why string, err error) (Checkpoint, error) {
		return Checkpoint{}, brenner.Errorf(brenner.CodeCheckpointInvalid, "%s", why).Because(err)
	}
	verifier, err := note.NewVerifier(publicKey)
	if err != nil {
		return bad("the public key cannot be used", err)
	}
	n, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return bad("the checkpoint is not signed with this project's key", err)
	}
	lines := strings.Split(n.Text, "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], origin) {
		return bad("the note is not a Brenner checkpoint", nil)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 {
		return bad("the checkpoint has no size", err)
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return bad("the checkpoint has no root", err)
	}
	c := Checkpoint{Project: brenner.ProjectID(strings.TrimPrefix(lines[0], origin)), Size: size}
	copy(c.Root[:], root)
	return c, nil
}

// Against compares a verified journal with checkpoints in order of size, and
// names the range in which history differs: it starts behind the last
// checkpoint that still holds.
func (r *Report) Against(checkpoints []Checkpoint) []Finding {
	var out []Finding
	held := int64(0)
	for _, c := range checkpoints {
		add := func(first, last int64, message string) {
			out = append(out, Finding{brenner.CodeCheckpointMismatch, first, last, message})
		}
		if c.Size > r.Size {
			add(r.Size+1, c.Size, fmt.Sprintf("%s missing: the journal was cut after the checkpoint of size %d", records(r.Size+1, c.Size), c.Size))
			continue
		}
		root, ok := r.RootAt(c.Size)
		if !ok || root != c.Root {
			add(held+1, c.Size, fmt.Sprintf("history was rewritten among records %d–%d", held+1, c.Size))
			continue
		}
		held = c.Size
	}
	return out
}
