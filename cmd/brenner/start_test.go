package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// Every command waits for what packages make before main. Ours make little, so
// that one that prints a version does not pay for tables that others read: a
// package that makes more makes it at first use (internal/lazy). A library that
// makes more than those that are there is left to tests (ADR 198, ADR 200).
func TestStart_PackagesMakeLittleBeforeMain(t *testing.T) {
	const most, theirs, all = 35_000, 150_000, 800_000 // bytes
	cmd := exec.CommandContext(t.Context(), os.Args[0], "version")
	cmd.Env = append(os.Environ(), runVariable+"=1", "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen, sum := 0, 0
	for line := range strings.Lines(string(out)) {
		// init brenner/delta @5.1 ms, 0.18 ms clock, 50272 bytes, 200 allocs
		words := strings.Fields(line)
		if len(words) != 11 || words[0] != "init" || strings.HasPrefix(words[1], "brenner/cmd/") {
			continue
		}
		bound := theirs
		if words[1] == "brenner" || strings.HasPrefix(words[1], "brenner/") {
			seen++
			bound = most
		}
		bytes, err := strconv.Atoi(words[7])
		if err != nil || bytes > bound {
			t.Errorf("%s makes %s bytes before main, more than %d", words[1], words[7], bound)
		}
		sum += bytes
	}
	if sum > all {
		t.Errorf("all packages make %d bytes before main, more than %d", sum, all)
	}
	if seen < 10 {
		t.Errorf("%d packages of ours are in\n%s", seen, out)
	}
}
