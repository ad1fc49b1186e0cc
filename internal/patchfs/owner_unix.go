//go:build unix

package patchfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ownership says what else speaks against replacing a file.
func ownership(info fs.FileInfo) (why []string) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if !ours(info) {
		why = append(why, "it belongs to another user")
	}
	if stat.Nlink > 1 {
		why = append(why, fmt.Sprintf("it has %d names (hard links), and the others would keep the old content", stat.Nlink))
	}
	return why
}

// ours says that a file belongs to who runs this.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

// keepOwner gives a file the owner of the one it replaces, or says that it
// could not.
func keepOwner(f *os.File, like fs.FileInfo) (lost []string) {
	stat, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if stat.Nlink > 1 {
		lost = append(lost, fmt.Sprintf("the file had %d names; the others keep the old content", stat.Nlink))
	}
	if err := f.Chown(int(stat.Uid), int(stat.Gid)); err == nil {
		return lost
	}
	if f.Chown(-1, int(stat.Gid)) != nil || int(stat.Uid) != os.Geteuid() {
		lost = append(lost, fmt.Sprintf("its owner %d:%d could not be kept", stat.Uid, stat.Gid))
	}
	return lost
}

// diskFull says that there is no room left, or none for this user.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
