package client_test

import (
	"errors"
	"testing"

	"brenner"
	"brenner/client"
)

// X1: what cannot be a server or a token is refused before anything is asked,
// and there is no half-made client.
func TestNew_RefusesWhatIsNoServer(t *testing.T) {
	for _, c := range []struct {
		address, token string
		code           brenner.Code
	}{
		{"ftp://x", "brn_x", brenner.CodeInvalidValue},
		{"https://ada:secret@x", "brn_x", brenner.CodeInvalidValue},
		{"https://x", "", brenner.CodeUnauthenticated},
		{"https://x", "two words", brenner.CodeUnauthenticated},
	} {
		if got, err := client.New(c.address, c.token); got != nil || !errors.Is(err, c.code) {
			t.Errorf("%s %q: %v, %v, want %s", c.address, c.token, got, err, c.code)
		}
	}
}

// X1: a server that is not there and a token it does not know have codes of
// their own.
func TestNew_TheFirstCallFindsOutWhoIsThere(t *testing.T) {
	address, _, stop := startServer()
	stranger, err := client.New(address, "brn_unknown")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.Project(t.Context()); !errors.Is(err, brenner.CodeUnauthenticated) {
		t.Errorf("an unknown token: %v", err)
	}
	stop()
	if _, err := stranger.Project(t.Context()); !errors.Is(err, brenner.CodeStoreUnavailable) {
		t.Errorf("no server: %v", err)
	}
}
