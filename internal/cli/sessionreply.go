package cli

import (
	"fmt"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/problem"

	"github.com/spf13/cobra"
)

func newSessionIngest(r *runner) *cobra.Command {
	var from, session string
	var mended bool
	c := &cobra.Command{
		Use:   "ingest [FILE]",
		Short: "Take a reply from a file, or the replies from Agent Mail",
		Long: `Take a reply that an agent wrote: keep it, attribute it and queue its deltas
for the next compile. FILE may be - for standard input. The same reply again
changes nothing.

A reply without a usable delta is no answer: it is kept, the agent is told how
to mend it, and the exit status is 3. With --accept-mended what comes close to a
delta is taken as it is proposed to be mended; so is what an earlier ingest of
the same reply did not take.

Without a file the new replies of an Agent Mail session are fetched.`,
		Example: `  brenner session ingest --from BlueLake reply.md
  brenner session ingest --from BlueLake --accept-mended reply.md
  brenner session ingest --session RS-20251230-cell-fate`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			if (len(a) == 1) != (from != "") {
				return usage(cmd, fmt.Errorf("a file needs --from NAME, and --from a file"))
			}
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			if len(a) == 0 {
				return r.fetch(cmd, s, session)
			}
			text, err := r.readReply(a[0], mended)
			if err != nil {
				return err
			}
			sub, err := s.SubmitDeltas(cmd.Context(), api.SubmitDeltasRequest{
				Write: r.write(), Session: brenner.SessionID(session), From: brenner.ActorName(from), Text: text,
				AcceptMended: mended,
			})
			if err != nil {
				return err
			}
			return r.showSubmission(sub)
		},
	}
	c.Flags().StringVar(&from, "from", "", "the agent that wrote it")
	mendedFlag(c, &mended)
	c.Flags().StringVar(&session, "session", "", "the session (default: the only one that waits for the agent)")
	return c
}

// fetch takes the new replies of an Agent Mail session.
func (r *runner) fetch(cmd *cobra.Command, s api.Service, session string) error {
	var named []string
	if session != "" {
		named = []string{session}
	}
	id, err := sessionNamed(cmd.Context(), s, named)
	if err != nil {
		return err
	}
	res, err := s.FetchReplies(cmd.Context(), api.FetchRepliesRequest{Write: r.write(), ID: id})
	if err != nil {
		return err
	}
	return r.show(res, func(w *printer) {
		r.warnOfDeltas(res.Refused)
		for _, who := range res.Strangers {
			r.note("%s wrote in the thread and is nobody we wrote to: not taken\n", printable(who))
		}
		if len(res.Replies) == 0 {
			w.Println("no new replies")
		}
		for _, sub := range res.Replies {
			printReply(w, sub)
		}
	})
}

// readReply reads a reply. One that is not in UTF-8 is not handed in but shown
// as it would be read, unless what is mended is to be taken (D20).
func (r *runner) readReply(name string, mended bool) (string, error) {
	raw, err := r.read(name, brenner.MaxReplyBytes)
	if err != nil {
		return "", err
	}
	text, encoding := delta.DecodeReply(raw)
	if encoding == "" || mended {
		return text, nil
	}
	refused := brenner.Errorf(brenner.CodeInvalidText, "%s is %s, not UTF-8; nothing was handed in", name, encoding).
		WithHint("send it in UTF-8; who leads the session may take it as it was read, as mended")
	x, err := delta.ReadDeltas(raw, (&envelopeFlags{}).envelope())
	if err != nil {
		return "", err
	}
	return "", refused.WithDiagnostics(x.Diagnostics())
}

func mendedFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "accept-mended", false, "take near misses as they are proposed to be mended")
}

// showSubmission prints what a reply was taken for. One that is no answer is no
// success.
func (r *runner) showSubmission(sub api.Submission) error {
	if sub.Unusable {
		r.exit = problem.Of(brenner.ClassOf(brenner.CodeInvalidDelta)).Exit
	}
	return r.show(sub, func(w *printer) { printReply(w, sub) })
}

func printReply(w *printer, sub api.Submission) {
	state := "queued"
	switch {
	case sub.Duplicate:
		state = "handed in before; nothing changed"
	case sub.Signed:
		state = "an answer: stands behind RT"
	case sub.SignatureBack:
		state = "an answer: stands behind RT no longer"
	case sub.Nothing:
		state = "an answer: nothing to add"
	case sub.Unusable:
		state = "none of use: this is no answer yet"
	case sub.DryRun:
		state = "dry run, nothing was kept"
	}
	w.Printf("%s of %s in %s: %s, %s\n", sub.Message, sub.Agent, sub.Session, plural(len(sub.Deltas), "delta"), state)
	if sub.SignedNot {
		w.Printf("  not signed: not all that it changes is taken\n")
	}
	printSubmission(w, sub)
	if sub.Compiled.Version > 0 {
		w.Printf("compiled: %s\n", sub.Compiled)
	}
	if sub.Doing != nil {
		printTask(w, *sub.Doing)
	}
}

func newDeltaSubmit(r *runner) *cobra.Command {
	var session, doing string
	var mended, dry, nothing bool
	c := &cobra.Command{
		Use:   "submit FILE",
		Short: "Hand in a reply or deltas of yours to a session",
		Long: `Queue the deltas of a reply in Markdown, or of JSON, for the next compile of a
session. FILE may be - for standard input. You speak for yourself: a delta that
names another agent is refused. The same reply again changes nothing. A reply
without a usable delta is no answer, and the exit status is 3; who has nothing to
add says so with --nothing, and why in FILE. Only who leads sessions may hand in
with --accept-mended.`,
		Example: `  brenner delta submit --as BlueLake reply.md
  brenner delta submit --as BlueLake reply.md --doing "I run T2 with twice the cells"
  echo "H2 says it already" | brenner delta submit --as BlueLake --nothing -`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			text, err := r.readReply(a[0], mended)
			if err != nil {
				return err
			}
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			sub, err := s.SubmitDeltas(cmd.Context(), api.SubmitDeltasRequest{
				Write: r.write(), Session: brenner.SessionID(session), Text: text, AcceptMended: mended, Nothing: nothing, Doing: doing, DryRun: dry,
			})
			if err != nil {
				return err
			}
			return r.showSubmission(sub)
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would happen to each delta, and keep nothing")
	c.Flags().BoolVar(&nothing, "nothing", false, "you have nothing to add: this is your answer, FILE says why")
	c.Flags().StringVar(&session, "session", "", "the session (default: the only one that waits for you)")
	c.Flags().StringVar(&doing, "doing", "", "what you do next, in a line: the others see it till your next reply")
	mendedFlag(c, &mended)
	return c
}
