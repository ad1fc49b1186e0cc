package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/locate"
)

// embedKeyVariable is the environment variable with the key of a remote
// embedding endpoint. The key stands in no file.
const embedKeyVariable = "BRENNER_EMBED_KEY"

// embedKey names the variable with the key for an embedding endpoint, "" if
// there is none. The endpoint is named by a configuration, which may have come
// with a clone: it gets no key, and beyond this machine no text either, until
// the person who runs the program has allowed it. Code: EMBED_NOT_ALLOWED.
func embedKey(address string) (string, error) {
	hasKey := os.Getenv(embedKeyVariable) != ""
	if !hasKey && locate.OnThisMachine(address) {
		return "", nil
	}
	origin, err := locate.Origin(address)
	if err != nil {
		return "", brenner.Errorf(brenner.CodeEmbedNotAllowed, "the embedding endpoint has no address that could be allowed").Because(err)
	}
	allowed, err := allowedEndpoints()
	if err != nil {
		return "", err
	}
	if !slices.Contains(allowed, origin) {
		return "", brenner.Errorf(brenner.CodeEmbedNotAllowed, "the configuration names the embedding endpoint %s, which was not allowed here: neither texts nor a key are sent", origin).
			WithHint("whoever runs this program and knows that host allows it once").Try(brenner.Do("config.apply", "allow_embedding", origin))
	}
	if !hasKey {
		return "", nil
	}
	return embedKeyVariable, nil
}

// embeddingAllowed says why an endpoint is sent nothing, nil if it is.
func embeddingAllowed(address string) error {
	_, err := embedKey(address)
	return err
}

// allowEmbedding remembers that the person knows an endpoint: a host, reached
// by https, or an address with its scheme.
func allowEmbedding(host string) error {
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	origin, err := locate.Origin(host)
	if err != nil {
		return brenner.Errorf(brenner.CodeUsage, "%q is not the host of an embedding endpoint", host).
			WithHint("write for example api.example.org, or http://127.0.0.1:11434")
	}
	allowed, err := allowedEndpoints()
	if err != nil || slices.Contains(allowed, origin) {
		return err
	}
	path := configPath("embedding-endpoints")
	if path == "" {
		return brenner.Errorf(brenner.CodeFileError, "there is no configuration directory of yours to remember it in")
	}
	text := strings.Join(append(allowed, origin), "\n") + "\n"
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		return brenner.Errorf(brenner.CodeFileError, "%s cannot be written", path).Because(err)
	}
	return nil
}

// allowedEndpoints lists the endpoints that were allowed.
func allowedEndpoints() ([]string, error) {
	path := configPath("embedding-endpoints")
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, brenner.Errorf(brenner.CodeFileError, "%s cannot be read", path).Because(err)
	}
	return strings.Fields(string(text)), nil
}
