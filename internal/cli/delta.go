package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/delta"
	"brenner/internal/order"
	"brenner/internal/problem"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

func newDelta(r *runner) *cobra.Command {
	return group("delta", "Read, merge, judge and show deltas and session artifacts in files",
		newDeltaExtract(r), newDeltaMerge(r), newDeltaLint(r), newDeltaRender(r), newDeltaImport(r), newDeltaDiff(r), newDeltaSubmit(r))
}

// envelopeFlags say what deltas in a file may leave out.
type envelopeFlags struct {
	agent, at, message string
	mended             bool
}

func (f *envelopeFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.agent, "agent", "", "agent of deltas that do not name theirs")
	c.Flags().StringVar(&f.at, "at", "", "timestamp of deltas that have none, such as 2025-12-30T12:00:00Z")
	c.Flags().StringVar(&f.message, "message", "", "id of the message the deltas came in (default for Markdown: from its text)")
}

// envelope is what deltas in a file may leave out.
func (f *envelopeFlags) envelope() delta.Envelope {
	return delta.Envelope{Message: f.message, Agent: brenner.ActorName(f.agent), Timestamp: f.at}
}

// fill takes deltas that leave it out to be of who asks, and of now, as those
// of a message sent now would be.
func (f *envelopeFlags) fill(r *runner) {
	f.agent = cmp.Or(f.agent, string(r.where().As), string(r.userName()))
	f.at = cmp.Or(f.at, delta.FormatInstant(time.Now().Truncate(time.Second)))
}

func noDelta(file string) string {
	return fmt.Sprintf("no delta in %s: a delta stands in a block named delta", file)
}

// readDeltas reads JSON, JSON Lines or Markdown from a file.
func (r *runner) readDeltas(name string, f envelopeFlags) (delta.Extraction, error) {
	raw, err := r.read(name, brenner.MaxDeltaInputBytes)
	if err != nil {
		return delta.Extraction{}, err
	}
	x, err := delta.ReadDeltas(raw, f.envelope())
	if err != nil {
		return x, from(name, err)
	}
	if f.mended {
		x = x.AcceptMended()
	}
	return x, nil
}

// readArtifact reads a session artifact, alone or as --json printed it.
func (r *runner) readArtifact(name string) (*delta.Artifact, error) {
	raw, err := r.read(name, brenner.MaxDeltaInputBytes)
	if err != nil {
		return nil, err
	}
	a, err := delta.ReadArtifact(unwrap(raw))
	if err != nil {
		return nil, from(name, err)
	}
	return a, nil
}

// unwrap gives the artifact of what --json printed, here or of a session, or the
// input itself.
func unwrap(raw []byte) []byte {
	var printed struct {
		Data struct {
			Artifact jsontext.Value `json:"artifact"`
			Content  jsontext.Value `json:"content"`
		} `json:"data"`
	}
	if json.Unmarshal(raw, &printed) != nil {
		return raw
	}
	for _, v := range []jsontext.Value{printed.Data.Content, printed.Data.Artifact} {
		if v.Kind() == '{' {
			return v
		}
	}
	return raw
}

func newDeltaExtract(r *runner) *cobra.Command {
	var flags envelopeFlags
	c := &cobra.Command{
		Use:   "extract FILE",
		Short: "Find the deltas in an agent's reply",
		Long: `Find the deltas in a reply: blocks named delta, fenced by backticks, tildes or
colons, in Markdown; or a file that is JSON or JSON Lines as a whole. They are
printed as JSON Lines. What comes close to a delta, and what every merge would
refuse, is reported with its place and a corrected block, and the exit status is
3; with --accept-mended it is taken as proposed. Quoted blocks and echoed
examples are named and left out. Deltas that do
not say whose they are and of when get your name and this instant, as they
would from a message you send now. FILE may be - for standard input.`,
		Example: `  brenner delta extract reply.md
  brenner delta extract --agent BlueLake --at 2025-12-30T12:00:00Z reply.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, names []string) error {
			flags.fill(r)
			x, err := r.readDeltas(names[0], flags)
			if err != nil {
				return err
			}
			if !r.json && len(x.Entries)+len(x.Misses)+len(x.Ignored) == 0 {
				r.note("%s\n", noDelta(names[0]))
			}
			return r.showExtraction(x)
		},
	}
	flags.add(c)
	mendedFlag(c, &flags.mended)
	return c
}

func (r *runner) showExtraction(x delta.Extraction) error {
	if len(x.Misses) > 0 || x.Usable() < len(x.Entries) {
		r.exit = problem.Of(brenner.ClassOf(brenner.CodeInvalidDelta)).Exit
	}
	deltas, warnings := []delta.Delta{}, x.Diagnostics()
	for _, e := range x.Entries {
		if e.Invalid == nil {
			deltas = append(deltas, e.Delta)
			continue
		}
		warnings = append(warnings, brenner.Diagnostic{
			Code: e.Invalid.Code, Severity: brenner.SeverityError, Subject: e.Delta.DeltaID,
			Message: e.Invalid.Message, Hint: adviceOf(e.Invalid), Pointer: e.Invalid.Pointer,
		})
	}
	var lines []byte
	for i := range deltas {
		line, err := json.Marshal(&deltas[i], json.Deterministic(true))
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	return r.show(struct {
		Deltas   []delta.Delta        `json:"deltas"`
		Misses   []delta.Miss         `json:"misses"`
		Ignored  []delta.Miss         `json:"ignored"`
		Accepted []delta.Miss         `json:"accepted,omitzero"`
		Warnings []brenner.Diagnostic `json:"warnings"`
	}{deltas, x.Misses, x.Ignored, x.Accepted, warnings}, func(w *printer) {
		r.warnOfDeltas(warnings)
		for _, m := range x.Accepted {
			r.note("taken as mended, line %d: %s\n", m.Line, printable(m.Hint))
		}
		w.Print(string(lines))
	})
}

func newDeltaMerge(r *runner) *cobra.Command {
	var flags envelopeFlags
	var base, session string
	var files, priority, contributors []string
	c := &cobra.Command{
		Use:   "merge [--base ARTIFACT] --deltas FILE…",
		Short: "Merge deltas into a session artifact",
		Long: `Merge deltas into a session artifact and print it: as Markdown, or with --json
together with the outcome of each delta and the warnings. The result does not
depend on the order of the files or of the deltas in them. A delta that breaks
a rule is rejected alone; where all are, the exit status is 3.

Deltas come as JSON, JSON Lines or replies in Markdown. Without --base the
merge starts from an empty artifact. Any file may be - for standard input; what
--json printed serves as the next --base.`,
		Example: `  brenner delta merge --json --deltas blue.md --deltas red.json > v1.json
  brenner delta merge --base v1.json --deltas critique.md --priority PI,BlueLake`,
		RunE: func(cmd *cobra.Command, names []string) error {
			files = append(files, names...)
			if len(files) == 0 {
				return usage(cmd, fmt.Errorf("no deltas given"))
			}
			from, err := r.baseArtifact(base, session)
			if err != nil {
				return err
			}
			opts := delta.Options{Contributors: named[brenner.ActorName](contributors)}
			if cmd.Flags().Changed("priority") {
				opts.Priority = named[brenner.ActorName](priority)
			}
			return r.mergeFiles(from, files, flags, opts)
		},
	}
	flags.add(c)
	mendedFlag(c, &flags.mended)
	c.Flags().StringVar(&base, "base", "", "session artifact to start from (default: an empty one)")
	c.Flags().StringVar(&session, "session", "", "session id of an artifact that starts empty")
	repeatedFlag(c.Flags(), &files, "deltas", "file of deltas; repeatable, and further files may follow")
	listFlag(c.Flags(), &priority, "priority", "agents whose simultaneous deltas prevail, highest first (default: as merged before)")
	listFlag(c.Flags(), &contributors, "contributors", "the only agents that may contribute (default: any)")
	return c
}

// baseArtifact reads the artifact to start from, or makes an empty one.
func (r *runner) baseArtifact(base, session string) (*delta.Artifact, error) {
	if base != "" {
		return r.readArtifact(base)
	}
	return delta.New(brenner.SessionID(session), "", nil, time.Time{})
}

// mergeFiles merges the deltas of files in one merge.
func (r *runner) mergeFiles(base *delta.Artifact, files []string, flags envelopeFlags, opts delta.Options) error {
	var entries []delta.Entry
	var found []brenner.Diagnostic
	for _, name := range files {
		x, err := r.readDeltas(name, flags)
		if err != nil {
			return err
		}
		entries = append(entries, x.Entries...)
		found = append(found, x.Diagnostics()...)
	}
	res := delta.Merge(base, entries, opts)
	res.Warnings = append(found, res.Warnings...)
	if mergedNothing(res, found) {
		r.exit = problem.Of(brenner.ClassOf(brenner.CodeInvalidDelta)).Exit
	}
	return r.show(res, func(w *printer) {
		r.reportOutcomes(res.Outcomes)
		r.warnOfDeltas(res.Warnings)
		w.Print(delta.Render(res.Artifact))
	})
}

// mergedNothing says that there was something to merge, and all of it was refused. What
// was merged before is not refused.
func mergedNothing(res delta.Result, found []brenner.Diagnostic) bool {
	return len(res.Outcomes)+len(found) > 0 && !slices.ContainsFunc(res.Outcomes, func(o delta.Outcome) bool { return o.Status != delta.Rejected })
}

// warnOfDeltas prints findings whose text may come from an agent.
func (r *runner) warnOfDeltas(found []brenner.Diagnostic) {
	for _, d := range found {
		r.note("%s\n", printable(diagnosticLine(d)))
	}
}

// reportOutcomes names every delta that does not show.
func (r *runner) reportOutcomes(outcomes []delta.Outcome) {
	outcomes = order.Of(outcomes, func(a, b delta.Outcome) int { return strings.Compare(a.DeltaID, b.DeltaID) })
	for i := range outcomes {
		o := &outcomes[i]
		if o.Status == delta.Applied {
			continue
		}
		line := fmt.Sprintf("%s %s", o.Status, printable(o.DeltaID))
		if o.Item != "" {
			line += " on " + string(o.Item)
		}
		if o.Code != "" {
			line += ": " + string(o.Code)
		}
		if o.Message != "" {
			line += ": " + printable(o.Message)
		}
		if o.Pointer != "" {
			line += " (at " + printable(o.Pointer) + ")"
		}
		if o.Hint != "" {
			line += "; " + printable(o.Hint)
		}
		r.note("%s\n", line)
	}
}

func newDeltaLint(r *runner) *cobra.Command {
	var flags envelopeFlags
	c := &cobra.Command{
		Use:   "lint FILE",
		Short: "Judge a session artifact, or deltas before they are sent",
		Long: `Judge a session artifact by every rule of its sections, or a file of deltas by
the rules that need no artifact. Each finding has a code and a fix. The exit
status is 0 unless a finding is an error. FILE may be - for standard input.`,
		Example: `  brenner delta lint session.json
  brenner delta lint --agent BlueLake --at 2025-12-30T12:00:00Z reply.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, names []string) error {
			raw, err := r.read(names[0], brenner.MaxDeltaInputBytes)
			if err != nil {
				return err
			}
			flags.fill(r)
			found, judged, err := lint(raw, flags)
			if err != nil {
				return from(names[0], err)
			}
			for _, f := range found {
				if f.Severity == brenner.SeverityError {
					r.exit = problem.Of(brenner.ClassOf(f.Code)).Exit
					break
				}
			}
			return r.show(struct {
				Warnings []brenner.Diagnostic `json:"warnings"`
			}{found}, func(w *printer) {
				for _, f := range found {
					w.Println(printable(diagnosticLine(f)))
				}
				switch {
				case !judged:
					w.Println(noDelta(names[0]))
				case len(found) == 0:
					w.Println("nothing to complain about")
				}
			})
		},
	}
	flags.add(c)
	return c
}

// lint judges an artifact if the input says it is one, else deltas.
func lint(raw []byte, flags envelopeFlags) (found []brenner.Diagnostic, judged bool, err error) {
	raw = unwrap(raw)
	var doc struct {
		Format jsontext.Value `json:"format"`
	}
	if json.Unmarshal(raw, &doc) == nil && len(doc.Format) > 0 {
		return delta.LintJSON(raw), true, nil
	}
	env := flags.envelope()
	x, err := delta.ReadDeltas(raw, env)
	if err != nil {
		return nil, false, err
	}
	found, err = delta.LintDeltas(raw, env)
	return found, len(x.Entries)+len(found) > 0, err
}

func newDeltaRender(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "render FILE",
		Short: "Show a session artifact as Markdown",
		Long: `Show a session artifact as Markdown. FILE is the artifact's JSON, alone or as
--json printed it, or - for standard input.`,
		Example: `  brenner delta render session.json > session.md`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, names []string) error {
			a, err := r.readArtifact(names[0])
			if err != nil {
				return err
			}
			md := delta.Render(a)
			return r.show(struct {
				Artifact *delta.Artifact `json:"artifact"`
				Markdown string          `json:"markdown"`
			}{a, md}, func(w *printer) { w.Print(md) })
		},
	}
}
