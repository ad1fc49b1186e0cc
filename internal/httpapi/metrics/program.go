package metrics

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

// one writes a metric without labels.
func (p *page) one(name, kind, help string, v float64) {
	p.show(family{name, help, kind, func(p *page, name string) { p.sample(name, "", v) }})
}

// program writes what Prometheus' own library says of a program in Go and of its
// process, by the same names, so that boards made for others show ours.
func (p *page) program() {
	p.collector()
	p.memory()
	p.process("/proc")
}

// collector writes what the collector of garbage and the scheduler say of themselves.
func (p *page) collector() {
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	p.show(family{"go_gc_duration_seconds", "A summary of the wall-time pause (stop-the-world) duration in garbage collection cycles.", "summary", func(p *page, name string) {
		for i, q := range []string{"0", "0.25", "0.5", "0.75", "1"} {
			p.sample(name, `quantile="`+q+`"`, stats.PauseQuantiles[i].Seconds())
		}
		p.sample(name+"_sum", "", stats.PauseTotal.Seconds())
		p.sample(name+"_count", "", float64(stats.NumGC))
	}})
	p.one("go_gc_gomemlimit_bytes", "gauge", "Go runtime memory limit configured by the user, otherwise math.MaxInt64. This value is set by the GOMEMLIMIT environment variable, and the runtime/debug.SetMemoryLimit function. Sourced from /gc/gomemlimit:bytes.",
		float64(debug.SetMemoryLimit(-1))) // below zero it only tells
	p.one("go_goroutines", "gauge", "Number of goroutines that currently exist.", float64(runtime.NumGoroutine()))
	p.show(family{"go_info", "Information about the Go environment.", "gauge", func(p *page, name string) {
		p.sample(name, labelled([]string{"version"}, values{runtime.Version()}), 1)
	}})
	p.one("go_sched_gomaxprocs_threads", "gauge", "The current runtime.GOMAXPROCS setting, or the number of operating system threads that can execute user-level Go code simultaneously. Sourced from /sched/gomaxprocs:threads.",
		float64(runtime.GOMAXPROCS(0)))
	p.one("go_threads", "gauge", "Number of OS threads created.", float64(pprof.Lookup("threadcreate").Count()))
}

// memory writes where the memory is.
func (p *page) memory() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	bytes := func(name, help string, n uint64) { p.one("go_memstats_"+name, "gauge", help, float64(n)) }
	total := func(name, help string, n uint64) { p.one("go_memstats_"+name, "counter", help, float64(n)) }
	bytes("alloc_bytes", "Number of bytes allocated in heap and currently in use. Equals to /memory/classes/heap/objects:bytes.", m.Alloc)
	total("alloc_bytes_total", "Total number of bytes allocated in heap until now, even if released already. Equals to /gc/heap/allocs:bytes.", m.TotalAlloc)
	bytes("buck_hash_sys_bytes", "Number of bytes used by the profiling bucket hash table. Equals to /memory/classes/profiling/buckets:bytes.", m.BuckHashSys)
	total("frees_total", "Total number of heap objects frees. Equals to /gc/heap/frees:objects + /gc/heap/tiny/allocs:objects.", m.Frees)
	bytes("gc_sys_bytes", "Number of bytes used for garbage collection system metadata. Equals to /memory/classes/metadata/other:bytes.", m.GCSys)
	bytes("heap_alloc_bytes", "Number of heap bytes allocated and currently in use, same as go_memstats_alloc_bytes. Equals to /memory/classes/heap/objects:bytes.", m.HeapAlloc)
	bytes("heap_idle_bytes", "Number of heap bytes waiting to be used. Equals to /memory/classes/heap/released:bytes + /memory/classes/heap/free:bytes.", m.HeapIdle)
	bytes("heap_inuse_bytes", "Number of heap bytes that are in use. Equals to /memory/classes/heap/objects:bytes + /memory/classes/heap/unused:bytes", m.HeapInuse)
	bytes("heap_objects", "Number of currently allocated objects. Equals to /gc/heap/objects:objects.", m.HeapObjects)
	bytes("heap_released_bytes", "Number of heap bytes released to OS. Equals to /memory/classes/heap/released:bytes.", m.HeapReleased)
	bytes("heap_sys_bytes", "Number of heap bytes obtained from system. Equals to /memory/classes/heap/objects:bytes + /memory/classes/heap/unused:bytes + /memory/classes/heap/released:bytes + /memory/classes/heap/free:bytes.", m.HeapSys)
	p.one("go_memstats_last_gc_time_seconds", "gauge", "Number of seconds since 1970 of last garbage collection.", float64(m.LastGC)/1e9)
	total("mallocs_total", "Total number of heap objects allocated, both live and gc-ed. Semantically a counter version for go_memstats_heap_objects gauge. Equals to /gc/heap/allocs:objects + /gc/heap/tiny/allocs:objects.", m.Mallocs)
	bytes("mcache_inuse_bytes", "Number of bytes in use by mcache structures. Equals to /memory/classes/metadata/mcache/inuse:bytes.", m.MCacheInuse)
	bytes("mcache_sys_bytes", "Number of bytes used for mcache structures obtained from system. Equals to /memory/classes/metadata/mcache/inuse:bytes + /memory/classes/metadata/mcache/free:bytes.", m.MCacheSys)
	bytes("mspan_inuse_bytes", "Number of bytes in use by mspan structures. Equals to /memory/classes/metadata/mspan/inuse:bytes.", m.MSpanInuse)
	bytes("mspan_sys_bytes", "Number of bytes used for mspan structures obtained from system. Equals to /memory/classes/metadata/mspan/inuse:bytes + /memory/classes/metadata/mspan/free:bytes.", m.MSpanSys)
	bytes("next_gc_bytes", "Number of heap bytes when next garbage collection will take place. Equals to /gc/heap/goal:bytes.", m.NextGC)
	bytes("other_sys_bytes", "Number of bytes used for other system allocations. Equals to /memory/classes/other:bytes.", m.OtherSys)
	bytes("stack_inuse_bytes", "Number of bytes obtained from system for stack allocator in non-CGO environments. Equals to /memory/classes/heap/stacks:bytes.", m.StackInuse)
	bytes("stack_sys_bytes", "Number of bytes obtained from system for stack allocator. Equals to /memory/classes/heap/stacks:bytes + /memory/classes/os-stacks:bytes.", m.StackSys)
	bytes("sys_bytes", "Number of bytes obtained from system. Equals to /memory/classes/total:byte.", m.Sys)
}

// ticks is how often a second the clock of /proc ticks: everywhere, since it is part
// of what Linux promises to programs.
const ticks = 100

// process writes what Linux says of the process. Elsewhere there is no /proc, and
// what cannot be read is left out.
func (p *page) process(proc string) {
	self := filepath.Join(proc, "self")
	// The second field, a name in parentheses, may hold anything.
	stat, _ := os.ReadFile(filepath.Join(self, "stat"))
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	field := func(n int) float64 { // by its number in proc(5)
		v, _ := strconv.ParseFloat(string(fields[n-3]), 64)
		return v
	}
	known := len(fields) >= 22
	if known {
		p.one("process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.", (field(14)+field(15))/ticks)
	}
	limits := table(filepath.Join(self, "limits"), "Max open files", "Max address space")
	if v, ok := limits["Max open files"]; ok {
		p.one("process_max_fds", "gauge", "Maximum number of open file descriptors.", v)
	}
	if in, out, ok := octets(filepath.Join(self, "net", "netstat")); ok {
		p.one("process_network_receive_bytes_total", "counter", "Number of bytes received by the process over the network.", in)
		p.one("process_network_transmit_bytes_total", "counter", "Number of bytes sent by the process over the network.", out)
	}
	if open, err := os.ReadDir(filepath.Join(self, "fd")); err == nil {
		p.one("process_open_fds", "gauge", "Number of open file descriptors.", float64(len(open)))
	}
	if known {
		p.one("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", field(24)*float64(os.Getpagesize()))
		if boot, ok := table(filepath.Join(proc, "stat"), "btime")["btime"]; ok {
			p.one("process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.", boot+field(22)/ticks)
		}
		p.one("process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.", field(23))
	}
	if v, ok := limits["Max address space"]; ok {
		p.one("process_virtual_memory_max_bytes", "gauge", "Maximum amount of virtual memory available in bytes.", v)
	}
}

// table gives the first number of each line that begins with one of the names.
func table(file string, names ...string) map[string]float64 {
	found := make(map[string]float64, len(names))
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		for _, name := range names {
			rest, ok := strings.CutPrefix(line, name+" ")
			words := strings.Fields(rest)
			if !ok || len(words) == 0 {
				continue
			}
			if words[0] == "unlimited" {
				words[0] = "18446744073709551615"
			}
			if v, err := strconv.ParseFloat(words[0], 64); err == nil {
				found[name] = v
			}
		}
	}
	return found
}

// octets gives the bytes that came in and went out, of the network that the process
// sees: a line of names, then one of numbers.
func octets(file string) (in, out float64, ok bool) {
	text, _ := os.ReadFile(file)
	var names []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "IpExt:" {
			continue
		}
		if names == nil {
			names = words
			continue
		}
		for i, name := range names[:min(len(names), len(words))] {
			v, err := strconv.ParseFloat(words[i], 64)
			switch {
			case err != nil:
			case name == "InOctets":
				in, ok = v, true
			case name == "OutOctets":
				out = v
			}
		}
		return in, out, ok
	}
	return 0, 0, false
}
