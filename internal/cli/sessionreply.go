package cli

import (
	"fmt"

	"brenner"
	"brenner/api"

	"github.com/spf13/cobra"
)

func newSessionIngest(r *runner) *cobra.Command {
	var from, session string
	c := &cobra.Command{
		Use:   "ingest [FILE]",
		Short: "Take a reply from a file, or the replies from Agent Mail",
		Long: `Take a reply that an agent wrote: keep it, attribute it and queue its deltas
for the next compile. FILE may be - for standard input. The same reply again
changes nothing.

Without a file the new replies of an Agent Mail session are fetched.`,
		Example: `  brenner session ingest --from BlueLake reply.md
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
			text, err := r.read(a[0], brenner.MaxReplyBytes)
			if err != nil {
				return err
			}
			sub, err := s.SubmitDeltas(cmd.Context(), api.SubmitDeltasRequest{
				Write: r.write(), Session: brenner.SessionID(session), From: brenner.ActorName(from), Text: string(text),
			})
			if err != nil {
				return err
			}
			return r.showSubmission(sub)
		},
	}
	c.Flags().StringVar(&from, "from", "", "the agent that wrote it")
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

// showSubmission prints what a reply was taken for.
func (r *runner) showSubmission(sub api.Submission) error {
	return r.show(sub, func(w *printer) { printReply(w, sub) })
}

func printReply(w *printer, sub api.Submission) {
	state := "queued"
	switch {
	case sub.Duplicate:
		state = "handed in before; nothing changed"
	case sub.DryRun:
		state = "dry run, nothing was kept"
	case sub.Compiled != brenner.Ref{}:
		state = "all have answered, compiled as " + sub.Compiled.String()
	}
	w.Printf("%s of %s in %s: %s, %s\n", sub.Message, sub.Agent, sub.Session, plural(len(sub.Deltas), "delta"), state)
	printSubmission(w, sub)
}

func newDeltaSubmit(r *runner) *cobra.Command {
	var session string
	var dry bool
	c := &cobra.Command{
		Use:   "submit FILE",
		Short: "Hand in a reply or deltas of yours to a session",
		Long: `Queue the deltas of a reply in Markdown, or of JSON, for the next compile of a
session. FILE may be - for standard input. You speak for yourself: a delta that
names another agent is refused. The same reply again changes nothing.`,
		Example: `  brenner delta submit --as BlueLake reply.md`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			text, err := r.read(a[0], brenner.MaxReplyBytes)
			if err != nil {
				return err
			}
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			sub, err := s.SubmitDeltas(cmd.Context(), api.SubmitDeltasRequest{
				Write: r.write(), Session: brenner.SessionID(session), Text: string(text), DryRun: dry,
			})
			if err != nil {
				return err
			}
			return r.showSubmission(sub)
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would happen to each delta, and keep nothing")
	c.Flags().StringVar(&session, "session", "", "the session (default: the only one that waits for you)")
	return c
}
