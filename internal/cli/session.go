package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/problem"
	"brenner/roster"

	"github.com/spf13/cobra"
)

func newSession(r *runner) *cobra.Command {
	return group("session", "Several agents at work on one question",
		newSessionStart(r), newSessionStatus(r), newSessionIngest(r), newSessionCompile(r), newSessionShow(r),
		newSessionList(r), newSessionNudge(r), newSessionClose(r), newSessionDiagnose(r), newSessionResend(r))
}

// sessionNamed gives the session of the command line, or the only one there is.
func sessionNamed(ctx context.Context, s api.Service, args []string) (brenner.SessionID, error) {
	if len(args) > 0 {
		return brenner.SessionID(args[0]), nil
	}
	list, err := s.Sessions(ctx, api.ListSessionsRequest{Page: api.Page{Limit: 5}})
	if err != nil {
		return "", err
	}
	ids := make([]brenner.SessionID, len(list.Sessions))
	for i, info := range list.Sessions {
		ids[i] = info.ID
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", brenner.Errorf(brenner.CodeNotFound, "there is no session yet").WithHint("start one with `brenner session start`")
	}
	return "", brenner.Errorf(brenner.CodeUsage, "there are several sessions: name one").WithHint("the newest are " + words(ids))
}

// onSession opens the project and settles which session a command is about.
func (r *runner) onSession(cmd *cobra.Command, args []string, fn func(context.Context, api.Service, brenner.SessionID) error) error {
	s, err := r.service(cmd.Context())
	if err != nil {
		return err
	}
	id, err := sessionNamed(cmd.Context(), s, args)
	if err != nil {
		return err
	}
	return fn(cmd.Context(), s, id)
}

func newSessionStart(r *runner) *cobra.Command {
	var req api.StartSessionRequest
	var flags rosterFlags
	var id, module, transport, contextFile string
	c := &cobra.Command{
		Use:   "start [QUESTION]",
		Short: "Start a session: ask each agent in its role",
		Long: `Settle who plays which role, register the agents, create the session artifact
and send each recipient its kickoff. Roles come from the flags, then the
environment (BRENNER_ROSTER_JSON, _FILE, _MODE, _PRESET), then the project's
configuration in force, then a preset; ` + "`brenner roster resolve`" + ` shows it. Where
none of them names anybody, the agents of --to play the roles they have.

Messages go to the built-in mailbox, or to an Agent Mail server if
AGENT_MAIL_BASE_URL is set (with AGENT_MAIL_PATH, AGENT_MAIL_BEARER_TOKEN). A
delivery that fails is reported for its recipient, the exit status is that of
the failure, and ` + "`brenner session resend`" + ` tries again what failed.

Replies are compiled when everybody has answered; with --compile manual only by
` + "`brenner session compile`" + `, with a duration also that long after the oldest
contribution that waits, by the next command or the server that sees it due.`,
		Example: `  brenner session start "What decides cell fate?" --preset default-3-agent \
      --to BlueLake --to PurpleMountain --to GreenValley`,
		Args: func(_ *cobra.Command, a []string) error {
			if len(a) > 1 {
				return errors.New("the question is one argument: put it in quotes")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, a []string) error {
			switch {
			case len(a) == 1 && req.Question != "":
				return brenner.Errorf(brenner.CodeUsage, "the question is given twice, as an argument and by --question")
			case len(a) == 1:
				req.Question = a[0]
			}
			if err := r.statedRoster(&req, flags); err != nil {
				return err
			}
			if contextFile != "" {
				text, err := r.read(contextFile, brenner.MaxSessionTextBytes)
				if err != nil {
					return err
				}
				req.Context = string(text)
			}
			req.Write, req.ID, req.Module, req.Transport = r.write(), brenner.SessionID(id), brenner.Module(module), api.Transport(transport)
			if transport == "" && r.env.Getenv("AGENT_MAIL_BASE_URL") != "" {
				req.Transport = api.TransportAgentMail
			}
			res, err := ask(r, cmd, api.Service.StartSession, req)
			if err != nil {
				return err
			}
			r.failOn(res.Deliveries)
			return r.show(res, func(w *printer) {
				r.warn(res.Warnings)
				printStart(w, res, req.DryRun)
			})
		},
	}
	flags.add(c)
	f := c.Flags()
	f.StringVar(&req.Question, "question", "", "the question; without one the research thread starts empty")
	f.StringVar(&req.Context, "context", "", "what to add to the question")
	f.StringVar(&contextFile, "context-file", "", "read what to add from a file, or - for standard input")
	f.StringVar(&id, "id", "", "id of the session (default RS-YYYYMMDD-slug)")
	f.StringVar(&module, "module", "", "module of the session artifact (default: the only one, or project)")
	f.StringVar(&transport, "transport", "", "mailbox or agent_mail (default: agent_mail if AGENT_MAIL_BASE_URL is set)")
	f.BoolVar(&req.DryRun, "dry-run", false, "show what would be done; create and send nothing")
	f.StringVar((*string)(&req.Compile), "compile", "", "when to compile replies: manual, answered (default), or a duration such as 30m")
	f.BoolVar(&req.AcceptMended, "accept-mended", false, "take near misses in replies as they are proposed to be mended, unasked")
	c.MarkFlagsMutuallyExclusive("context", "context-file")
	return c
}

// statedRoster puts into a request what flags and environment say about the
// roster. What the project says is for the service to add.
func (r *runner) statedRoster(req *api.StartSessionRequest, flags rosterFlags) error {
	stated, err := flags.sources(r, "", roster.Settings{})
	if err != nil {
		return err
	}
	req.To, req.Preset, req.PresetEnv = stated.To, stated.PresetFlag, stated.PresetEnv
	for _, p := range stated.Flags {
		req.Flags = append(req.Flags, api.RosterPart(p))
	}
	for _, p := range stated.Environment {
		req.Environment = append(req.Environment, api.RosterPart(p))
	}
	return nil
}

func printStart(w *printer, res api.SessionStart, dry bool) {
	verb := "started"
	if dry {
		verb = "would be started"
	}
	info := res.Session
	w.Printf("session %s %s: %s, %s\n", info.ID, verb, info.Roster.Mode, info.Artifact)
	if info.ThreadEmpty {
		w.Println("no question: the research thread starts empty")
	}
	if len(res.Registered) > 0 {
		w.Printf("new agents: %s\n", words(res.Registered))
	}
	rows := [][]string{{"AGENT", "ROLE", "KICKOFF"}}
	for i, rec := range info.Recipients {
		state := "not sent"
		if i < len(res.Deliveries) {
			state = deliveryLine(res.Deliveries[i])
		}
		rows = append(rows, []string{string(rec.Name), string(rec.Role), state})
	}
	table(w, rows...)
	printStarts(w, res)
	if info.Transport == api.TransportMailbox {
		printByHand(w, res.Deliveries)
	}
	for _, m := range res.Messages {
		w.Printf("\n--- to %s: %s\n%s", m.To, printable(m.Subject), printable(brenner.Speak(m.Body, asCommand)))
	}
}

// printStarts says how the agents are started: with the commands of their programs,
// or, where no program is named, by what starts or serves one.
func printStarts(w *printer, res api.SessionStart) {
	var named, without []string
	for _, st := range res.Starts {
		if st.Program != "" {
			named = append(named, st.Command)
		} else {
			without = append(without, string(st.Agent))
		}
	}
	if len(named) > 0 {
		w.Println("start the agents here with:")
	}
	for _, command := range named {
		w.Printf("  %s\n", command)
	}
	if len(without) > 0 {
		w.Printf("no program is named for %s; start one, for example: brenner run --session %s --program claude\n", strings.Join(without, ", "), res.Session.ID)
		w.Printf("  or let one that you start yourself be it: brenner setup claude --as %s\n", without[0])
	}
}

// printByHand says how an agent that has no program is answered for.
func printByHand(w *printer, all []api.Delivery) {
	for _, d := range all {
		if d.Error == nil && d.Message != "" {
			w.Printf("or answer by hand, as %s for example: brenner mail read %s --as %s\n", d.To, d.Message, d.To)
			w.Printf("  and then, with the delta blocks in a file: brenner mail reply %s FILE --as %s\n", d.Message, d.To)
			return
		}
	}
}

func deliveryLine(d api.Delivery) string {
	out := d.State + " as " + d.Message
	if d.As != "" {
		out += ", known there as " + printable(d.As)
	}
	if d.Error != nil {
		out = fmt.Sprintf("%s: %s %s", d.State, d.Error.Code, oneLine(printable(d.Error.Message), 200))
	}
	return out
}

// failOn makes a delivery that failed the exit status of a command that
// otherwise succeeded.
func (r *runner) failOn(deliveries []api.Delivery) {
	for _, d := range deliveries {
		if d.Error != nil && r.exit == 0 {
			r.exit = problem.Of(brenner.ClassOf(d.Error.Code)).Exit
		}
	}
}

// showDeliveries prints what became of messages.
func (r *runner) showDeliveries(data any, deliveries []api.Delivery, none string, awaited ...brenner.ActorName) error {
	r.failOn(deliveries)
	return r.show(data, func(w *printer) {
		if len(deliveries) == 0 {
			w.Println(none)
			return
		}
		rows := [][]string{{"AGENT", "MESSAGE"}}
		for _, d := range deliveries {
			rows = append(rows, []string{string(d.To), deliveryLine(d)})
		}
		table(w, rows...)
		if len(awaited) > 0 {
			w.Printf("waited for too: %s\n", joined(awaited, ", "))
		}
	})
}

func newSessionCompile(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "compile [SESSION]",
		Short: "Merge everything the agents answered into one draft version",
		Long: `Merge all deltas that wait, in one deterministic merge, into the next version
of the session artifact, a draft. A delta that breaks a rule is refused alone;
its agent is told. If nothing could be recorded there is no new version.`,
		Example: `  brenner session compile RS-20251230-cell-fate`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onSession(cmd, a, func(ctx context.Context, s api.Service, id brenner.SessionID) error {
				res, err := s.CompileSession(ctx, api.CompileSessionRequest{Write: r.write(), ID: id})
				if err != nil {
					return err
				}
				return r.showCompiled(res)
			})
		},
	}
}

func (r *runner) showCompiled(res api.CompileResult) error {
	r.failOn(res.Deliveries)
	return r.show(res, func(w *printer) {
		r.reportOutcomes(res.Outcomes)
		r.warnOfDeltas(res.Warnings)
		switch {
		case len(res.Outcomes) == 0:
			w.Printf("nothing waits to be compiled; %s stands\n", res.Ref)
		case !res.Changed:
			w.Printf("nothing could be recorded; %s stands\n", res.Ref)
		default:
			w.Printf("%s draft: %s\n", res.Ref, res.Change.What)
		}
		if res.Conflicts > 0 {
			w.Printf("%s in conflict: see `brenner conflict list %s`\n", plural(res.Conflicts, "field"), res.Session)
		}
		for _, d := range res.Deliveries {
			if d.Error != nil {
				w.Printf("%s was not told: %s\n", d.To, deliveryLine(d))
			}
		}
	})
}

func newSessionShow(r *runner) *cobra.Command {
	var version, since, offset int
	var content, again, brief bool
	var sections, items []string
	c := &cobra.Command{
		Use:   "show [SESSION]",
		Short: "Print the session artifact, with the ids that deltas can target",
		Long: `Prints the session artifact, and what was contributed and not compiled yet. With
--section, --item or --since only what they choose, and who wrote it, with --item also
why it was changed last; with --brief where it stands, a line for each item: what lives, what was killed and why.`,
		Example: `  brenner session show RS-20251230-cell-fate --section hypothesis_slate --since 2
  brenner session show RS-20251230-cell-fate --brief`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onSession(cmd, a, func(ctx context.Context, s api.Service, id brenner.SessionID) error {
				req := api.SessionRequest{ID: id, Version: brenner.Version(version), Full: content, Since: brenner.Version(since), Offset: offset, Again: again, Brief: brief}
				for _, name := range sections {
					req.Sections = append(req.Sections, delta.Section(name))
				}
				for _, name := range items {
					req.Items = append(req.Items, delta.ItemID(name))
				}
				v, err := s.Session(ctx, req)
				if err != nil {
					return err
				}
				return r.show(v, func(w *printer) {
					if content {
						w.Printf("%s\n", v.Content)
						return
					}
					w.Print(printable(v.Markdown))
					for _, said := range []string{v.ClosedWords(), v.UnfinishedWords()} {
						if said != "" {
							r.note("%s\n", printable(said))
						}
					}
					if len(sections)+len(items) == 0 || slices.Contains(req.Sections, delta.ResearchThread) || slices.Contains(items, "RT") {
						w.Print(printable(api.AnswerWords(v.Critiques, v.AnswerKilled, v.MovedWords())))
						if by := v.SignedWords(nil); by != "" {
							w.Printf("the answer, by %s, is signed as it stands by %s\n", v.AnswerBy, by)
						}
					}
					if len(v.Names) > 0 {
						r.note("names in it: %s\n", printable(api.NameWords(v.Names)))
					}
					for _, c := range v.Why {
						w.Print(printable(c.Words()))
					}
					for _, p := range v.Proposals {
						w.Print(printable(p.Words() + p.AlikeWords()))
					}
					if len(v.Before) > 0 {
						w.Printf("unchanged, given to you before in this context: %s\n", words(v.Before))
					}
					if len(v.Rest) > 0 {
						w.Printf("did not fit (%d, and your context has %d left): %s\n", v.RestCosts, v.Left, words(v.Rest))
						if v.Spent {
							w.Printf("go on in a new context: %s\n", v.GoOn.Command())
						}
						w.Printf("then: brenner session show %s --offset %d\n", v.ID, v.NextOffset)
					}
				})
			})
		},
	}
	c.Flags().IntVar(&version, "version", 0, "this version (default: the newest)")
	listFlag(c.Flags(), &sections, "section", "only this section, by its id")
	listFlag(c.Flags(), &items, "item", "only this item, such as H2")
	c.Flags().IntVar(&since, "since", 0, "only what this version does not show alike")
	c.Flags().IntVar(&offset, "offset", 0, "where to go on, if an agent's context did not hold all")
	c.Flags().BoolVar(&brief, "brief", false, "where it stands: a line for each item, what was killed and why")
	c.Flags().BoolVar(&again, "again", false, "send an agent what it was given before as well")
	c.Flags().BoolVar(&content, "content", false, "the artifact as JSON, with the deltas it rests on")
	return c
}

func newSessionList(r *runner) *cobra.Command {
	var req api.ListSessionsRequest
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the sessions, the newest first",
		Example: `  brenner session list --oldest`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := ask(r, cmd, api.Service.Sessions, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if len(res.Sessions) == 0 {
					w.Println("no sessions")
					return
				}
				rows := [][]string{{"SESSION", "VERSION", "ANSWERED", "PENDING", "CONFLICTS", "QUESTION"}}
				for _, i := range res.Sessions {
					answered, pending := 0, 0
					for _, rec := range i.Recipients {
						if !rec.Waiting {
							answered++
						}
						pending += rec.Pending
					}
					state := fmt.Sprintf("%d/%d", answered, len(i.Recipients))
					if !i.Closed.IsZero() { // nobody is waited for, whoever answered
						state = "closed"
					}
					rows = append(rows, []string{
						string(i.ID), fmt.Sprint(i.Artifact.Version), state,
						fmt.Sprint(pending), fmt.Sprint(i.Conflicts), oneLine(printable(i.Question), 60),
					})
				}
				table(w, rows...)
				more(w, res.Next)
			})
		},
	}
	c.Flags().BoolVar(&req.Oldest, "oldest", false, "the one started first first")
	c.Flags().BoolVar(&req.Own, "own", false, "only those you were asked in; those that wait for you are not left out for newer ones")
	pageFlags(c, &req.Page)
	return c
}

func newSessionNudge(r *runner) *cobra.Command {
	var to []string
	var note string
	c := &cobra.Command{
		Use:     "nudge [SESSION]",
		Short:   "Ask again those who have not answered, or those named",
		Example: `  brenner session nudge RS-20251230-cell-fate --to GreenValley --note "Attack H1 and H2."`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onSession(cmd, a, func(ctx context.Context, s api.Service, id brenner.SessionID) error {
				res, err := s.NudgeSession(ctx, api.NudgeSessionRequest{Write: r.write(), ID: id, To: named[brenner.ActorName](to), Note: note})
				if err != nil {
					return err
				}
				return r.showDeliveries(res, res.Deliveries, "everyone has answered; nobody was asked", res.Awaited...)
			})
		},
	}
	listFlag(c.Flags(), &to, "to", "ask this recipient, answered or not (repeatable)")
	c.Flags().StringVar(&note, "note", "", "what is asked for")
	return c
}

func newSessionClose(r *runner) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:   "close [SESSION]",
		Short: "End a session: nobody is waited for, and no reply is taken",
		Long: `Close a session. Nothing of it waits for anybody any more, agents are not
started for it, and a reply that comes late is refused. What it holds stays.
Answers that were not compiled yet stay too, and session compile takes them in
still: how many of whom is said. Its tasks go on, and are named. Asking again
(session nudge) opens it, for those who are asked. If nobody
has said yet what the answer is, in the context of the research thread, that is
said.`,
		Example: `  brenner session close RS-20251230-cell-fate --reason "answered by the new data"`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onSession(cmd, a, func(ctx context.Context, s api.Service, id brenner.SessionID) error {
				res, err := s.CloseSession(ctx, api.CloseSessionRequest{Write: r.write(), ID: id, Reason: reason})
				if err != nil {
					return err
				}
				return r.show(res, func(w *printer) {
					w.Printf("%s closed: %s\n", res.ID, printable(res.ClosedFor))
					if said := res.UnfinishedWords(); said != "" {
						w.Printf("%s; `brenner task cancel %s --reason …` ends one\n", said, res.Unfinished[0])
					}
					if said := res.Uncompiled(); said != "" {
						w.Println(said)
						w.Printf("next: %s\n", brenner.Do("session.compile", "id", string(res.ID)).Command())
					}
					if said := res.Unconcluded(); said != "" {
						w.Println(said)
					}
				})
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why it is closed")
	return c
}

func newSessionResend(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "resend [SESSION]",
		Short: "Deliver what could not be delivered, and nothing else",
		Long: `Send again the messages that have not arrived. Each is looked for on the
server first, so that nothing arrives twice.`,
		Example: `  brenner session resend RS-20251230-cell-fate`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onSession(cmd, a, func(ctx context.Context, s api.Service, id brenner.SessionID) error {
				res, err := s.ResendSession(ctx, api.ResendSessionRequest{ID: id})
				if err != nil {
					return err
				}
				return r.showDeliveries(res, res.Deliveries, "everything has been delivered")
			})
		},
	}
}

func newSessionDiagnose(r *runner) *cobra.Command {
	var req api.DiagnoseSessionRequest
	var from string
	c := &cobra.Command{
		Use:   "diagnose [SESSION]",
		Short: "Say what became of each reply, and why one gave no delta",
		Long: `Go through the replies of a session: which deltas each brought, what became of
them, and what in it looks like a delta and is none, with a corrected block to
send instead. An agent sees its own replies.`,
		Example: `  brenner session diagnose RS-20251230-cell-fate --from BlueLake`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onSession(cmd, a, func(ctx context.Context, s api.Service, id brenner.SessionID) error {
				req.ID, req.From = id, brenner.ActorName(from)
				res, err := s.DiagnoseSession(ctx, req)
				if err != nil {
					return err
				}
				return r.show(res, func(w *printer) { printDiagnosis(w, res) })
			})
		},
	}
	c.Flags().StringVar(&from, "from", "", "only the replies of this agent")
	pageFlags(c, &req.Page)
	return c
}

func printDiagnosis(w *printer, d api.Diagnosis) {
	if len(d.Replies) == 0 {
		w.Println("no replies")
	}
	for _, rep := range d.Replies {
		w.Printf("%s of %s, %s by %s\n", rep.Message, rep.Agent, instant(rep.Received), rep.Via)
		printSubmission(w, rep.Submission)
		if rep.Explanation != "" {
			w.Printf("  %s\n", rep.Explanation)
		}
	}
	if len(d.Silent) > 0 {
		w.Printf("nothing came from %s\n", words(d.Silent))
	}
	more(w, d.Next)
}

// printSubmission lists the deltas of a reply, then what was not taken as one.
func printSubmission(w *printer, sub api.Submission) {
	for _, d := range sub.Deltas {
		line := fmt.Sprintf("  %s %s %s %s", printable(d.DeltaID), d.Operation, d.Section, d.State)
		if d.Will != "" {
			line += ", would be " + string(d.Will)
		}
		if d.Item != "" {
			line += " " + string(d.Item)
		}
		switch {
		case d.Code != "":
			line += fmt.Sprintf(" %s: %s", d.Code, printable(d.Message))
		case d.Message != "":
			line += ": " + printable(d.Message)
		}
		for _, was := range d.Replaces {
			line += fmt.Sprintf("; in the place of %s by %s", printable(was.Field), was.WhoseWords())
		}
		if d.Pointer != "" {
			line += fmt.Sprintf(" (at %s)", printable(d.Pointer))
		}
		if d.Hint != "" {
			line += "; " + printable(d.Hint)
		}
		w.Println(line)
		for _, said := range d.Says {
			if said.Left != nil {
				w.Printf("    %s\n", printable(said.Left.String()))
			}
			switch {
			case said.Text == "":
			case said.Left != nil:
				w.Printf("    nearest, %s says:%s\n", printable(said.Field), below(said.Text))
			case d.Code == brenner.CodeConflictHead:
				w.Printf("    %s says:%s\n", printable(said.Field), below(said.Text))
			case d.Code != "":
				w.Printf("    nearest, %s says:%s\n", printable(said.Field), below(said.Text))
			case d.State == string(delta.Applied):
				w.Printf("    %s now says:%s\n", printable(said.Field), below(said.Text))
			default:
				w.Printf("    %s would say:%s\n", printable(said.Field), below(said.Text))
			}
		}
		if d.Corrected != "" {
			how := "yours in its place, or both in new"
			switch {
			case d.Operation == delta.Kill:
				how = "to kill it as it reads now"
			case d.Pointer == "/target_id":
				how = "to press it all the same"
			}
			w.Printf("    %s: %s\n", how, printable(d.Corrected))
		}
		for _, n := range d.Warnings {
			w.Printf("    warning %s: %s; %s\n", n.Code, printable(n.Message), printable(n.Hint))
		}
	}
	for _, m := range sub.Accepted {
		w.Printf("  line %d: taken as mended: %s\n", m.Line, printable(m.Hint))
	}
	for _, m := range append(sub.Misses, sub.Ignored...) {
		at := ""
		if m.Pointer != "" {
			at = fmt.Sprintf(" (at %s)", printable(m.Pointer))
		}
		w.Printf("  line %d: %s %s%s; %s\n", m.Line, m.Code, printable(m.Message), at, printable(m.Hint))
		if m.Corrected != "" {
			w.Printf("  send instead:\n\n%s\n", strings.TrimRight(printable(m.Corrected), "\n")+"\n")
		}
	}
}
