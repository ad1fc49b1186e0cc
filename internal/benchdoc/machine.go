package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// machine is where the figures come from, as far as they depend on it: neither
// its name nor its paths.
type machine struct {
	date      string
	processor string
	procs     int
	memory    int64 // bytes; 0 if it is not known
	system    string
	goVersion string
	git       string        // version of the reference
	took      time.Duration // the whole run; 0 if it was not measured now
}

func thisMachine(ctx context.Context) machine {
	m := machine{procs: runtime.GOMAXPROCS(0), system: runtime.GOOS + "/" + runtime.GOARCH, goVersion: runtime.Version()}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		m.memory = memTotal(string(text))
	}
	if text, err := os.ReadFile("/etc/os-release"); err == nil {
		if name := osName(string(text)); name != "" {
			m.system = name + ", " + m.system
		}
	}
	if out, err := exec.CommandContext(ctx, "git", "--version").Output(); err == nil {
		m.git = strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	}
	return m
}

var (
	memLine = regexp.MustCompile(`(?m)^MemTotal:\s+(\d+) kB$`)
	osLine  = regexp.MustCompile(`(?m)^PRETTY_NAME="?([^"\n]*)"?$`)
)

// memTotal reads how much memory there is from what Linux says.
func memTotal(meminfo string) int64 {
	found := memLine.FindStringSubmatch(meminfo)
	if found == nil {
		return 0
	}
	kib, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

func osName(release string) string {
	if found := osLine.FindStringSubmatch(release); found != nil {
		return found[1]
	}
	return ""
}

// rows are the lines of the table of the machine.
func (m machine) rows() [][2]string {
	rows := [][2]string{{"Date", m.date}, {"Processor", fmt.Sprintf("%s, %d cores used", m.processor, m.procs)}}
	if m.memory > 0 {
		rows = append(rows, [2]string{"Memory", fmt.Sprintf("%.1f GiB", float64(m.memory)/(1<<30))})
	}
	rows = append(rows, [2]string{"System", m.system}, [2]string{"Go", m.goVersion})
	if m.git != "" {
		rows = append(rows, [2]string{"git", m.git})
	}
	if m.took > 0 {
		rows = append(rows, [2]string{"The run took", m.took.Round(time.Second).String()})
	}
	return rows
}
