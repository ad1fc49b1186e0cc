//go:build unix

package patchfs

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"brenner"
)

// lock keeps other processes out of the directory. The lock is on the directory
// itself and dies with the process, so nothing is left behind.
func lock(ctx context.Context, root *os.Root) (unlock func(), err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, fileError(root.Name(), err)
	}
	ctx, cancel := context.WithTimeout(ctx, brenner.WriteDeadline)
	defer cancel()
	for {
		err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = dir.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = dir.Close()
			return nil, fileError(root.Name(), err)
		}
		select {
		case <-ctx.Done():
			_ = dir.Close()
			return nil, busy(ctx, root.Name())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func busy(ctx context.Context, name string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return brenner.Errorf(brenner.CodeCanceled, "stopped while waiting for another process").Because(ctx.Err())
	}
	return brenner.Errorf(brenner.CodeStoreBusy, "another process keeps %s locked", name).WithHint("try again")
}

// syncDir makes the names in a directory durable, where the file system can.
func syncDir(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
