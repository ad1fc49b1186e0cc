//go:build !linux

package patchfs

import "os"

// Extended attributes are copied on Linux only.
func keepAttributes(_, _ *os.File) []string { return nil }
