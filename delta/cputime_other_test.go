//go:build !linux

package delta_test

import "time"

var processStart = time.Now()

// processTime falls back on the clock where processor time cannot be had.
func processTime() time.Duration { return time.Since(processStart) }
