package patchfs

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// keepAttributes copies the extended attributes of a file, and says which could
// not be kept.
func keepAttributes(f, old *os.File) (lost []string) {
	names := make([]byte, 64<<10)
	n, err := unix.Flistxattr(int(old.Fd()), names)
	if err != nil {
		if errors.Is(err, unix.ENOTSUP) {
			return nil
		}
		return []string{"its extended attributes could not be read"}
	}
	for _, name := range strings.Split(strings.TrimRight(string(names[:n]), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		value := make([]byte, 64<<10)
		size, err := unix.Fgetxattr(int(old.Fd()), name, value)
		if err == nil {
			err = unix.Fsetxattr(int(f.Fd()), name, value[:size], 0)
		}
		if err != nil {
			lost = append(lost, "its extended attribute "+name+" could not be kept")
		}
	}
	return lost
}
