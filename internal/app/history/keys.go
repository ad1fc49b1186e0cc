package history

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brenner"

	"golang.org/x/mod/sumdb/note"
)

// Keyring is a directory, outside every project, with one signing key per
// project (J2): whoever can rewrite the project file cannot sign a rewritten
// history with it unless they can read this directory too.
type Keyring struct{ Dir string }

// signingKey is what signs and what checks.
type signingKey struct{ secret, public string }

// load gives the key of a project, making one on first use if asked to.
func (k Keyring) load(project brenner.ProjectID, create bool) (signingKey, error) {
	path := filepath.Join(k.Dir, string(project)+".key")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && create {
		return k.create(path, project)
	}
	if err != nil {
		return signingKey{}, brenner.Errorf(brenner.CodeCheckpointInvalid, "no key for project %s is kept here", project).
			WithHint("give the public key of whoever signed it: the key is kept where the checkpoint was made").Try(brenner.Again().Asking("public_key")).Because(err)
	}
	secret, public, ok := strings.Cut(strings.TrimSpace(string(data)), "\n")
	if !ok {
		return signingKey{}, brenner.Errorf(brenner.CodeCheckpointInvalid, "the key file of project %s is damaged", project)
	}
	return signingKey{secret: secret, public: public}, nil
}

func (k Keyring) create(path string, project brenner.ProjectID) (signingKey, error) {
	if k.Dir == "" {
		return signingKey{}, keyFileError(errors.New("no directory for keys"))
	}
	secret, public, err := note.GenerateKey(rand.Reader, "brenner-"+string(project))
	if err != nil {
		return signingKey{}, err
	}
	if err := os.MkdirAll(k.Dir, 0o700); err != nil {
		return signingKey{}, keyFileError(err)
	}
	// Two processes may make the first checkpoint at once: the one that links
	// its file first wins, the other uses that key.
	tmp, err := os.CreateTemp(k.Dir, "new-*.key")
	if err != nil {
		return signingKey{}, keyFileError(err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(secret + "\n" + public + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return signingKey{}, keyFileError(err)
	}
	if err := os.Link(tmp.Name(), path); errors.Is(err, fs.ErrExist) {
		return k.load(project, false)
	} else if err != nil {
		return signingKey{}, keyFileError(err)
	}
	return signingKey{secret: secret, public: public}, nil
}

func keyFileError(err error) error {
	return brenner.Errorf(brenner.CodeFileError, "the signing key cannot be kept").
		WithHint("set BRENNER_KEYS to a directory outside the project that you can write").Because(err)
}
