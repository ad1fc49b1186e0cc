//go:build !linux && !darwin

package postgres

import "net"

// quiet cannot be told here.
func quiet(net.Conn) bool { return false }
