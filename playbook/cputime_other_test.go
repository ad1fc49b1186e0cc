//go:build !linux

package playbook

import "time"

var processStart = time.Now()

// threadTime falls back on the clock where a thread's time cannot be had.
func threadTime() time.Duration { return time.Since(processStart) }
