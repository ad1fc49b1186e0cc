//go:build linux || darwin

package postgres

import (
	"errors"
	"net"
	"syscall"
)

// quiet reports whether a connection that nobody uses stands and has nothing to
// say: one that the server has closed, or told something, has.
func quiet(conn net.Conn) bool {
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = over.NetConn()
	}
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	nothing := false
	err = raw.Control(func(fd uintptr) { // not Read, which waits for who reads
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		nothing = errors.Is(err, syscall.EAGAIN)
	})
	return err == nil && nothing
}
