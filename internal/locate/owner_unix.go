//go:build unix

package locate

import (
	"io/fs"
	"syscall"
)

// ownerOf says which user a file belongs to.
func ownerOf(info fs.FileInfo) (user int, known bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
