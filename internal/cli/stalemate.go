package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/stalemate"

	"github.com/spf13/cobra"
)

func newStalemate(r *runner) *cobra.Command {
	return group("stalemate", "Disagreements with evidence, and verdicts on them",
		newStalemateRaise(r), newStalemateList(r), newStalemateShow(r), newStalemateReply(r), newStalemateArbitrate(r), newStalemateVerdict(r),
		newStalemateStep(r, stalemate.Accept, "Accept the verdict", `  brenner stalemate accept stalemate-12`),
		newStalemateStep(r, stalemate.Appeal, "Say why the verdict cannot stand", `  brenner stalemate appeal stalemate-12 --reason "the file can be had"`),
		newStalemateStep(r, stalemate.Implement, "Say that the remedy has been carried out", `  brenner stalemate implement stalemate-12 --reason "patched as methods@4"`),
		newStalemateStep(r, stalemate.Verify, "Say that the remedy works, which closes the stalemate", `  brenner stalemate verify stalemate-12`),
		newStalemateReopen(r),
		newStalemateStep(r, stalemate.Withdraw, "Close the stalemate without a verdict", `  brenner stalemate withdraw stalemate-12 --reason "found it ourselves"`),
		newStalemateImport(r), newStalemateExport(r))
}

// onStalemate runs something with a stalemate and says where it stands then.
func (r *runner) onStalemate(cmd *cobra.Command, fn func(context.Context, api.Service) (api.StalemateInfo, error)) error {
	s, err := r.service(cmd.Context())
	if err != nil {
		return err
	}
	info, err := fn(cmd.Context(), s)
	if err != nil {
		return err
	}
	return r.show(info, func(w *printer) { printStalemateLine(w, info) })
}

func printStalemateLine(w *printer, i api.StalemateInfo) {
	w.Printf("%s %s, round %d: %s\n", i.ID, i.State, i.Round, brenner.OneLine(printable(i.Summary)))
	if len(i.Missing) > 0 {
		w.Printf("missing evidence: %s\n", strings.Join(i.Missing, ", "))
	}
}

// evidenceHelp explains the flag that attaches files.
const evidenceHelp = "attach a file as evidence: KIND=FILE, for example patch=fix.json or file_content=notes.md (repeatable)"

// evidence reads files as evidence.
func (r *runner) evidence(flags []string) ([]stalemate.Evidence, error) {
	var out []stalemate.Evidence
	for _, f := range flags {
		kind, name, ok := strings.Cut(f, "=")
		if !ok || kind == "" || name == "" {
			return nil, brenner.Errorf(brenner.CodeUsage, "%q is not evidence", f).WithHint("write KIND=FILE, for example patch=fix.json")
		}
		raw, err := r.read(name, brenner.MaxContentBytes)
		if err != nil {
			return nil, err
		}
		e := stalemate.Evidence{Kind: kind, Content: string(raw)}
		if kind == stalemate.KindFileContent || kind == stalemate.KindOlderContent {
			e.Path = name
		}
		out = append(out, e)
	}
	return out, nil
}

// stalemateCauses are the words that a hypothesis may name its cause by.
var stalemateCauses = strings.Join(causeNames(), ", ")

func causeNames() []string {
	var names []string
	for _, c := range stalemate.Causes() {
		names = append(names, string(c))
	}
	return names
}

func newStalemateRaise(r *runner) *cobra.Command {
	var file, id, module, session string
	var attach []string
	c := &cobra.Command{
		Use:   "raise",
		Short: "Raise a stalemate, with the evidence itself",
		Long: `Raise a stalemate. The file is a JSON object:

    {"summary": "the patch is refused again and again",
     "target": "methods@3",
     "hypotheses": [{"author": "BlueLake", "statement": "…", "justification": "…",
                     "cause": "stale_base"},
                    {"author": "RedSky"}],
     "alternatives": [{"statement": "…", "justification": "…"}],
     "attempts": [{"actor": "BlueLake", "action": "…", "outcome": "…"}],
     "expected_behaviour": "…",
     "evidence": [{"kind": "error_log", "content": "…"}],
     "arbitration_request": "…"}

At least two parties, one to three alternatives, and evidence that is really
there: a placeholder is refused. Say what you hold yourself; the other parties
are named only. Each is told by message, and says what it holds with
"brenner stalemate reply".

Where a patch (in any format that is read) and the text it was refused on are
attached, the mechanical arbiter can test what the hypotheses say in their own
words: white space, line endings, line numbers, a text that has changed since,
and so on. It reads English. To be sure to be understood name the cause besides,
as "cause": ` + stalemateCauses + `.`,
		Example: `  brenner stalemate raise --file dispute.json --evidence patch=fix.json --evidence file_content=notes.md`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := r.read(file, brenner.MaxStalemateBytes)
			if err != nil {
				return err
			}
			req := api.RaiseStalemateRequest{
				Write: r.write(), ID: brenner.ArtifactID(id), Module: brenner.Module(module), Session: brenner.SessionID(session),
			}
			if err := canon.Unmarshal(raw, &req.Stalemate); err != nil {
				return from(file, err)
			}
			more, err := r.evidence(attach)
			if err != nil {
				return err
			}
			req.Stalemate.Evidence = append(req.Stalemate.Evidence, more...)
			return r.onStalemate(cmd, func(ctx context.Context, s api.Service) (api.StalemateInfo, error) { return s.RaiseStalemate(ctx, req) })
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "the stalemate as JSON, or - for standard input")
	repeatedFlag(c.Flags(), &attach, "evidence", evidenceHelp)
	stalemateFlags(c, &id, &module, &session)
	required(c, "file")
	return c
}

func stalemateFlags(c *cobra.Command, id, module, session *string) {
	c.Flags().StringVar(id, "id", "", "name of the artifact (default: stalemate-N)")
	c.Flags().StringVar(module, "module", "", "the module it belongs to (default: that of its target, or project)")
	c.Flags().StringVar(session, "session", "", "the session it arose in")
}

func newStalemateImport(r *runner) *cobra.Command {
	var id, module, session string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Open a stalemate from a Stalemate_Protocol_v1.1 request",
		Long: `Open a stalemate from a Stalemate_Protocol_v1.1 request, or - for standard
input. Evidence that only stands for content is kept and marked missing.`,
		Example: `  brenner stalemate import Stalemate_Request.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			raw, err := r.read(a[0], brenner.MaxStalemateBytes)
			if err != nil {
				return err
			}
			if _, err := stalemate.Import(raw); err != nil {
				return from(a[0], err)
			}
			req := api.ImportStalemateRequest{
				Write: r.write(), ID: brenner.ArtifactID(id), Module: brenner.Module(module), Session: brenner.SessionID(session), Request: raw,
			}
			return r.onStalemate(cmd, func(ctx context.Context, s api.Service) (api.StalemateInfo, error) {
				return s.ImportStalemate(ctx, req)
			})
		},
	}
	stalemateFlags(c, &id, &module, &session)
	return c
}

func newStalemateExport(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "export ID",
		Short: "Print a stalemate as a Stalemate_Protocol_v1.1 request",
		Long: `Print a stalemate as a Stalemate_Protocol_v1.1 request in canonical JSON
(RFC 8785): what was imported comes out as it went in.`,
		Example: `  brenner stalemate export stalemate-12 > Stalemate_Request.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			res, err := ask(r, cmd, api.Service.ExportStalemate, api.StalemateRequest{ID: brenner.ArtifactID(a[0])})
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { w.Printf("%s\n", res.Request) })
		},
	}
}

func newStalemateList(r *runner) *cobra.Command {
	var req api.ListStalematesRequest
	var states []string
	var all bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List stalemates, oldest first",
		Example: `  brenner stalemate list --state open --about methods`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.States = named[stalemate.State](states)
			if all {
				req.States = stalemate.States()
			}
			res, err := ask(r, cmd, api.Service.Stalemates, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if len(res.Stalemates) == 0 {
					w.Println("no stalemates")
					return
				}
				rows := [][]string{{"STALEMATE", "STATE", "ROUND", "TARGET", "PARTIES", "SUMMARY"}}
				for _, i := range res.Stalemates {
					rows = append(rows, []string{
						string(i.ID), string(i.State), fmt.Sprint(i.Round), orDash(printable(i.Target)), words(i.Parties), oneLine(printable(i.Summary), 60),
					})
				}
				table(w, rows...)
				more(w, res.Next)
			})
		},
	}
	listFlag(c.Flags(), &states, "state", "only in this state (repeatable; default: all that are not closed)")
	c.Flags().BoolVar(&all, "all", false, "closed ones too")
	c.Flags().StringVar(&req.About, "about", "", "only about this target, or in this session")
	c.Flags().BoolVar(&req.Newest, "newest", false, "the one raised last first")
	c.MarkFlagsMutuallyExclusive("state", "all")
	pageFlags(c, &req.Page)
	return c
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func newStalemateShow(r *runner) *cobra.Command {
	var evidence string
	c := &cobra.Command{
		Use:     "show ID",
		Short:   "Show a stalemate: what is claimed, what is attached, what was decided",
		Example: `  brenner stalemate show stalemate-12 --evidence e2`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			v, err := ask(r, cmd, api.Service.Stalemate, api.StalemateRequest{ID: brenner.ArtifactID(a[0])})
			if err != nil {
				return err
			}
			if evidence == "" {
				return r.show(v, func(w *printer) { printStalemate(w, v) })
			}
			i := slices.IndexFunc(v.Stalemate.Evidence, func(e stalemate.Evidence) bool { return e.ID == evidence })
			if i < 0 {
				return brenner.Errorf(brenner.CodeNotFound, "%s has no evidence %q", v.ID, evidence).
					WithHint(fmt.Sprintf("its evidence is e1–e%d", len(v.Stalemate.Evidence)))
			}
			e := v.Stalemate.Evidence[i]
			return r.show(e, func(w *printer) { w.Print(e.Content) })
		},
	}
	c.Flags().StringVar(&evidence, "evidence", "", "print nothing but this piece of evidence, byte for byte")
	return c
}

func printStalemate(w *printer, v api.StalemateView) {
	say := func(format string, args ...any) { w.Printf(format, args...) }
	printStalemateLine(w, v.StalemateInfo)
	say("raised by %s (%s) at %s", v.Raiser, v.Origin, instant(v.Raised))
	if v.Target != "" {
		say("; about %s", printable(v.Target))
	}
	say("\n\n")
	for _, h := range v.Stalemate.Hypotheses {
		if h.Statement == "" {
			say("%s %s: has not replied yet\n", h.ID, h.Author)
			continue
		}
		say("%s %s: %s\n   because: %s\n", h.ID, h.Author, printable(h.Statement), printable(h.Justification))
	}
	for _, h := range v.Stalemate.Alternatives {
		say("%s (alternative): %s\n   because: %s\n", h.ID, printable(h.Statement), printable(h.Justification))
	}
	for _, a := range v.Stalemate.Attempts {
		say("tried: %s: %s: %s\n", a.Actor, printable(a.Action), printable(a.Outcome))
	}
	if v.Stalemate.Expected != "" {
		say("expected: %s\n", printable(v.Stalemate.Expected))
	}
	for _, e := range v.Stalemate.Evidence {
		what := fmt.Sprintf("%d bytes, sha256 %.12s…", len(e.Content), e.Digest)
		if e.Missing {
			what = "MISSING: " + oneLine(printable(e.Content), 80)
		}
		say("%s %s %s: %s\n", e.ID, printable(e.Kind), orDash(printable(e.Path)), what)
	}
	say("request: %s\n", printable(v.Stalemate.Request))
	for _, e := range v.Stalemate.History {
		say("round %d, %s: %s by %s", e.Round, e.At, e.Action, e.Actor)
		if e.Reason != "" {
			say(": %s", oneLine(printable(e.Reason), 100))
		}
		say("\n")
	}
	if v.Verdict != nil {
		say("\n")
		printVerdict(w, v.VerdictRef, *v.Verdict, v.State == stalemate.InArbitration)
	}
}

func printVerdict(w *printer, ref brenner.Ref, v stalemate.Verdict, draft bool) {
	say := func(format string, args ...any) { w.Printf(format, args...) }
	title := "verdict"
	if draft {
		title = "draft of a verdict"
	}
	say("%s %s by %s, round %d: %s\nroot cause: %s\n", title, ref, v.Arbiter, v.Round, v.Outcome, printable(v.RootCause))
	for i, step := range v.Explanation {
		say("%3d. %s\n", i+1, printable(step))
	}
	for _, f := range v.Findings {
		say("%s %s: %s (%s)\n", f.Hypothesis, f.Ruling, printable(f.Reason), strings.Join(f.Evidence, ", "))
	}
	say("remedy: %s\nverification: %s\n", printable(v.Remedy), printable(v.Verification))
	if v.Patch != nil {
		say("the remedy is a patch: brenner artifact show %s --content\n", ref)
	}
}

func newStalemateArbitrate(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "arbitrate ID",
		Short: "Take a stalemate on, and let the mechanical arbiter draft a verdict",
		Long: `Take an open stalemate on. Where a patch and the text it is about are
attached, the mechanical arbiter replays them, compares the cause it finds with
what every hypothesis says, and drafts a verdict; what it cannot test stays
undetermined, and it says what is missing. Deliver the draft, or a verdict of
your own, with "brenner stalemate verdict". A party cannot.`,
		Example: `  brenner stalemate arbitrate stalemate-12`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			id := brenner.ArtifactID(a[0])
			info, err := s.ArbitrateStalemate(cmd.Context(), api.StalemateRequest{Write: r.write(), ID: id})
			if err != nil {
				return err
			}
			return r.show(info, func(w *printer) {
				printStalemateLine(w, info)
				// An agent whose context has no room left reads the draft later.
				if v, err := s.Stalemate(cmd.Context(), api.StalemateRequest{ID: id}); err == nil {
					printVerdict(w, v.VerdictRef, *v.Verdict, true)
					return
				}
				w.Printf("draft of a verdict %s: %s\n", info.VerdictRef, info.Outcome)
			})
		},
	}
}

func newStalemateVerdict(r *runner) *cobra.Command {
	var file string
	var adopt bool
	c := &cobra.Command{
		Use:   "verdict ID",
		Short: "Deliver a verdict: the draft, or your own",
		Long: `Deliver a verdict on a stalemate in arbitration: with --adopt the draft as it
is, with --file your own, as JSON in the form of the draft (print it with
"brenner artifact show VERDICT --content"): outcome, root_cause, explanation in
steps, one finding per hypothesis that cites evidence, remedy, verification.
You are named as the arbiter; a party cannot be.`,
		Example: `  brenner stalemate verdict stalemate-12 --adopt`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req := api.VerdictRequest{Write: r.write(), ID: brenner.ArtifactID(a[0])}
			if !adopt {
				raw, err := r.read(file, brenner.MaxContentBytes)
				if err != nil {
					return err
				}
				req.Verdict = new(stalemate.Verdict)
				if err := canon.Unmarshal(raw, req.Verdict); err != nil {
					return from(file, err)
				}
			}
			return r.onStalemate(cmd, func(ctx context.Context, s api.Service) (api.StalemateInfo, error) {
				return s.DecideStalemate(ctx, req)
			})
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "your verdict as JSON, or - for standard input")
	c.Flags().BoolVar(&adopt, "adopt", false, "deliver the draft of the mechanical arbiter")
	c.MarkFlagsMutuallyExclusive("file", "adopt")
	c.MarkFlagsOneRequired("file", "adopt")
	return c
}

// newStalemateStep is a command that takes one step and nothing more.
func newStalemateStep(r *runner, action stalemate.Action, short, example string) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:     string(action) + " ID",
		Short:   short,
		Example: example,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onStalemate(cmd, func(ctx context.Context, s api.Service) (api.StalemateInfo, error) {
				return s.MoveStalemate(ctx, api.MoveStalemateRequest{Write: r.write(), ID: brenner.ArtifactID(a[0]), Action: action, Reason: reason})
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func newStalemateReply(r *runner) *cobra.Command {
	var statement, justification, cause string
	var attach []string
	c := &cobra.Command{
		Use:   "reply ID",
		Short: "Say yourself what you hold, as a party",
		Long: `Say what you hold to be the cause, and attach your evidence. It can be done
until there is a verdict, more than once; a draft of a verdict is void then.`,
		Example: `  brenner stalemate reply stalemate-12 --statement "the file moved" --justification "its hash differs" --as BlueLake`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			evidence, err := r.evidence(attach)
			if err != nil {
				return err
			}
			return r.onStalemate(cmd, func(ctx context.Context, s api.Service) (api.StalemateInfo, error) {
				return s.MoveStalemate(ctx, api.MoveStalemateRequest{
					Write: r.write(), ID: brenner.ArtifactID(a[0]), Action: stalemate.Reply,
					Statement: statement, Justification: justification, Cause: cause, Evidence: evidence,
				})
			})
		},
	}
	c.Flags().StringVar(&statement, "statement", "", "what you hold to be the cause")
	c.Flags().StringVar(&justification, "justification", "", "why")
	c.Flags().StringVar(&cause, "cause", "", "the cause in a word that the mechanical arbiter knows: "+stalemateCauses)
	repeatedFlag(c.Flags(), &attach, "evidence", evidenceHelp)
	return c
}

func newStalemateReopen(r *runner) *cobra.Command {
	var reason string
	var attach []string
	c := &cobra.Command{
		Use:   "reopen ID",
		Short: "Open another round, after an appeal or a remedy that did not work",
		Long: `Open another round of a stalemate that was appealed, or whose remedy did not
work. Another round needs evidence that the last one did not have.`,
		Example: `  brenner stalemate reopen stalemate-12 --reason "here is the file" --evidence file_content=scripts/wrap.py`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			evidence, err := r.evidence(attach)
			if err != nil {
				return err
			}
			return r.onStalemate(cmd, func(ctx context.Context, s api.Service) (api.StalemateInfo, error) {
				return s.MoveStalemate(ctx, api.MoveStalemateRequest{
					Write: r.write(), ID: brenner.ArtifactID(a[0]), Action: stalemate.Reopen, Reason: reason, Evidence: evidence,
				})
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why")
	repeatedFlag(c.Flags(), &attach, "evidence", evidenceHelp)
	return c
}
