package playbook

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime is the processor time of the calling thread: what an operation
// costs one core, whoever else is using the machine. getrusage would do, were
// it not for kernels that count it in ticks of 4 ms.
func threadTime() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var ts syscall.Timespec
	if _, _, e := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		panic(e)
	}
	return time.Duration(ts.Nano())
}
