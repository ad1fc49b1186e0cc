package main

import (
	"bytes"
	"fmt"
	"strings"
)

// area is a part of the document.
type area struct {
	title, text string
	figures     []figure
}

// figure is a row: what was measured, by which benchmark, what of it is shown,
// what it is compared with and what was hoped for.
type figure struct {
	what string // empty: the part of the benchmark's name that * stands for
	source
	show   []measure
	beside reference
	goals  []goal
}

// measure is a metric of a benchmark and how it is shown.
type measure struct {
	metric string
	as     shown
	name   string // "p99", where one number does not say what it is
}

// reference is what the first measure of a figure is compared with, in the
// same run: the zero reference is none.
type reference struct {
	what string
	// of is another benchmark of the package; empty: the same.
	of string
	// metric is the reference itself; empty: it is worked out from the ratio.
	metric string
	// ratio is ours over the reference, and times the reference over ours; both
	// empty: it is worked out.
	ratio, times string
}

// ratioOf is the metric of a goal that is about the ratio.
const ratioOf = "the ratio"

// goal bounds a metric.
type goal struct {
	metric string
	text   string // "p99 ≤ 20 ms"
	holds  func(float64) bool
}

func atMost(metric string, limit float64, text string) goal {
	return goal{metric, text, func(v float64) bool { return v <= limit }}
}

func under(metric string, limit float64, text string) goal {
	return goal{metric, text, func(v float64) bool { return v < limit }}
}

func atLeast(metric string, limit float64, text string) goal {
	return goal{metric, text, func(v float64) bool { return v >= limit }}
}

// row is a figure as it came out.
type row struct {
	what, measured, beside, ratio string
	goals                         []outcome
}

type outcome struct {
	text string
	met  bool
}

// render writes the document, and names what the run has no result for.
func render(m machine, areas []area, r results) (text []byte, missing []string) {
	var body bytes.Buffer
	var all []row
	for _, a := range areas {
		fmt.Fprintf(&body, "\n## %s\n\n%s\n\n| What | Measured | Beside, in the same run | Ratio | Goal |\n|---|---|---|---|---|\n", a.title, a.text)
		for _, f := range a.figures {
			rows, ok := f.rows(r)
			if !ok {
				missing = append(missing, f.String())
			}
			for _, row := range rows {
				fmt.Fprintf(&body, "| %s | %s | %s | %s | %s |\n", row.what, row.measured, or(row.beside), or(row.ratio), row.goal())
			}
			all = append(all, rows...)
		}
	}
	var out bytes.Buffer
	writeHead(&out, m, all, len(missing))
	out.Write(body.Bytes())
	return out.Bytes(), missing
}

func writeHead(out *bytes.Buffer, m machine, rows []row, missing int) {
	out.WriteString("# Benchmarks\n\nWritten by `make bench`, not by hand. Every reference was measured in the same run on the same machine. The ratio is\n" +
		"the first number measured over its reference: for a time small is good, for a rate great is.\n\n| | |\n|---|---|\n")
	for _, r := range m.rows() {
		fmt.Fprintf(out, "| %s | %s |\n", r[0], r[1])
	}
	goals, unmet := 0, []string{}
	for _, r := range rows {
		for _, g := range r.goals {
			if goals++; !g.met {
				line := fmt.Sprintf("- %s: %s, goal %s", r.what, strings.TrimSuffix(r.measured+"; ratio "+r.ratio, "; ratio "), g.text)
				if why := reasons[r.what]; why != "" {
					line += ". " + why
				}
				unmet = append(unmet, line)
			}
		}
	}
	fmt.Fprintf(out, "\n%d of %d goals are met.", goals-len(unmet), goals)
	if missing > 0 {
		fmt.Fprintf(out, " Not measured in this run: %d.", missing)
	}
	if len(unmet) > 0 {
		fmt.Fprintf(out, " Not met:\n\n%s", strings.Join(unmet, "\n"))
	}
	out.WriteString("\n")
}

// rows gives the row of a figure, or one for each part that its * stands for.
func (f figure) rows(r results) ([]row, bool) {
	stem, every := strings.CutSuffix(f.name, "*")
	if !every {
		only, ok := f.row(r)
		return []row{only}, ok
	}
	var rows []row
	whole := true
	for _, s := range r.names {
		part, ok := strings.CutPrefix(s.name, stem)
		if s.pkg != f.pkg || !ok {
			continue
		}
		one := f
		one.what, one.name = "`"+part+"`", s.name
		measured, ok := one.row(r)
		rows, whole = append(rows, measured), whole && ok
	}
	return rows, whole && len(rows) > 0
}

func (f figure) row(r results) (row, bool) {
	out := row{what: f.what, measured: "not measured"}
	ours, ok := r.metrics[f.source]
	if !ok {
		return out, false
	}
	var parts []string
	for _, m := range f.show {
		v, ok := ours[m.metric]
		if !ok {
			return out, false
		}
		parts = append(parts, strings.TrimSpace(m.name+" "+m.as(v)))
	}
	ratio, ok := f.compare(r, &out)
	if !ok {
		return out, false
	}
	out.measured = strings.Join(parts, ", ")
	for _, g := range f.goals {
		v, ok := ours[g.metric]
		if g.metric == ratioOf {
			v, ok = ratio, true
		}
		if !ok {
			return out, false
		}
		out.goals = append(out.goals, outcome{g.text, g.holds(v)})
	}
	return out, true
}

// compare fills in the reference of a row and gives the ratio.
func (f figure) compare(r results, out *row) (float64, bool) {
	b := f.beside
	if b.what == "" {
		return 0, true
	}
	ours := r.metrics[f.source]
	theirs := ours
	if b.of != "" {
		theirs = r.metrics[source{f.pkg, b.of}]
	}
	value := ours[f.show[0].metric]
	reference, known := theirs[b.metric]
	ratio := value / reference
	if b.ratio != "" || b.times != "" {
		var ok bool
		if ratio, ok = ours[b.ratio+b.times]; !ok {
			return 0, false
		}
		if b.times != "" {
			ratio = 1 / ratio
		}
		if b.metric == "" {
			reference, known = value/ratio, true
		}
	}
	if !known {
		return 0, false
	}
	out.beside = fmt.Sprintf("%s: %s", b.what, f.show[0].as(reference))
	out.ratio = times(ratio)
	return ratio, true
}

func (r row) goal() string {
	var parts []string
	for _, g := range r.goals {
		mark := "met"
		if !g.met {
			mark = "**not met**"
		}
		parts = append(parts, g.text+": "+mark)
	}
	return or(strings.Join(parts, "; "))
}

// or stands in for what there is not.
func or(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
