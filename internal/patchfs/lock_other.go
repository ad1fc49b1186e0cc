//go:build !unix

package patchfs

import (
	"context"
	"os"
)

// Without advisory locks on directories two processes are not kept apart; a
// set is still all or nothing.
func lock(context.Context, *os.Root) (unlock func(), err error) { return func() {}, nil }

// syncDir does nothing where directories cannot be synced.
func syncDir(*os.File) error { return nil }
