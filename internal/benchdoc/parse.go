package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// source names a benchmark: its package below the module, and its name without
// the word Benchmark, with its parts: "Read/point/artifacts=1000". A name that
// ends in /* stands for every part there is.
type source struct{ pkg, name string }

// function is the name of the function that measures.
func (s source) function() string {
	name, _, _ := strings.Cut(s.name, "/")
	return "Benchmark" + name
}

func (s source) String() string { return s.pkg + " " + s.name }

// results are what the benchmarks of a run printed.
type results struct {
	processor string
	// names are the sources in the order in which they were measured.
	names   []source
	metrics map[source]map[string]float64
}

// parse reads the output of go test -bench on so many processors. Lines that
// are no results, such as tables printed for people, are passed over.
func parse(in io.Reader, procs int) (results, error) {
	r := results{metrics: map[source]map[string]float64{}}
	pkg := ""
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		if p, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = strings.TrimPrefix(strings.TrimPrefix(p, "brenner"), "/")
			continue
		}
		if cpu, ok := strings.CutPrefix(line, "cpu: "); ok {
			r.processor = cpu
			continue
		}
		fields := strings.Fields(line)
		if !isResult(fields) {
			continue
		}
		metrics, err := readMetrics(fields[2:])
		if err != nil {
			return r, fmt.Errorf("%s: %w", line, err)
		}
		s := source{pkg, ownName(fields[0], procs)}
		if _, again := r.metrics[s]; !again {
			r.names = append(r.names, s)
		}
		r.metrics[s] = metrics
	}
	if err := lines.Err(); err != nil {
		return r, err
	}
	if len(r.names) == 0 {
		return r, errors.New("this is not the output of a benchmark: no line has a result")
	}
	return r, nil
}

// isResult tells "BenchmarkX-2  100  12 ns/op" from anything else.
func isResult(fields []string) bool {
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
		return false
	}
	_, err := strconv.Atoi(fields[1])
	return err == nil
}

// readMetrics reads pairs of a number and its unit.
func readMetrics(fields []string) (map[string]float64, error) {
	metrics := map[string]float64{}
	if len(fields)%2 != 0 {
		return nil, errors.New("a number without a unit")
	}
	for i := 0; i < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return nil, err
		}
		metrics[fields[i+1]] = v
	}
	return metrics, nil
}

// ownName takes away the word Benchmark and the number of processors, which go
// test leaves out when it is one.
func ownName(name string, procs int) string {
	name = strings.TrimPrefix(name, "Benchmark")
	if procs > 1 {
		name = strings.TrimSuffix(name, "-"+strconv.Itoa(procs))
	}
	return name
}
