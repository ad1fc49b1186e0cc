//go:build !unix

package pgtest

import "os/exec"

// account is who the server runs as; a private cluster needs Unix sockets and
// users, so elsewhere tests use BRENNER_TEST_POSTGRES.
type account struct{}

func serverAccount() (account, error) { return account{}, errMissing }
func (account) give(string) error     { return nil }
func (account) run(*exec.Cmd)         {}
