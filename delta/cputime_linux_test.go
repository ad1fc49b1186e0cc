package delta_test

import (
	"syscall"
	"time"
	"unsafe"
)

// processTime is the processor time this process has used, on all its threads.
func processTime() time.Duration {
	const processClock = 2 // CLOCK_PROCESS_CPUTIME_ID
	var ts syscall.Timespec
	if _, _, e := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, processClock, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		panic(e)
	}
	return time.Duration(ts.Nano())
}
