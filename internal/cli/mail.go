package cli

import (
	"brenner"
	"brenner/api"

	"github.com/spf13/cobra"
)

func newMail(r *runner) *cobra.Command {
	return group("mail", "Messages of the system to you, and your answers", newMailInbox(r), newMailRead(r), newMailAck(r), newMailReply(r))
}

func newMailInbox(r *runner) *cobra.Command {
	var req api.InboxRequest
	var all bool
	c := &cobra.Command{
		Use:     "inbox",
		Short:   "List your messages, oldest first",
		Example: `  brenner mail inbox --as BlueLake`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all {
				req.States = []api.MessageState{api.MessageUnread, api.MessageRead, api.MessageAcked}
			}
			res, err := ask(r, cmd, api.Service.Inbox, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if len(res.Messages) == 0 {
					w.Println("no messages")
					return
				}
				rows := [][]string{{"MESSAGE", "STATE", "SENT", "SUBJECT"}}
				for _, m := range res.Messages {
					rows = append(rows, []string{m.ID, string(m.State), moment(m.Sent), oneLine(printable(m.Subject), 100)})
				}
				table(w, rows...)
				more(w, res.Next)
			})
		},
	}
	c.Flags().BoolVar(&all, "all", false, "also those you have acknowledged")
	c.Flags().BoolVar(&req.Asks, "asks", false, "only kickoffs and nudges, which ask for a reply")
	pageFlags(c, &req.Page)
	return c
}

func newMailRead(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "read MESSAGE",
		Short:   "Read a message and mark it read",
		Example: `  brenner mail read msg-12 --as BlueLake`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			m, err := ask(r, cmd, api.Service.ReadMessage, api.MessageRequest{Write: r.write(), ID: a[0]})
			if err != nil {
				return err
			}
			m.Text = brenner.Speak(m.Text, asCommand)
			return r.show(m, func(w *printer) { w.Printf("%s\n\n%s", printable(m.Subject), printable(m.Text)) })
		},
	}
}

// asCommand is an action as one line of a shell, marked as code.
func asCommand(a brenner.Action) string { return "`" + a.Command() + "`" }

func newMailAck(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "ack MESSAGE",
		Short:   "Say that a message has arrived",
		Example: `  brenner mail ack msg-12 --as BlueLake`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			m, err := ask(r, cmd, api.Service.AckMessage, api.MessageRequest{Write: r.write(), ID: a[0]})
			if err != nil {
				return err
			}
			return r.show(m, func(w *printer) { w.Printf("%s %s\n", m.ID, m.State) })
		},
	}
}

func newMailReply(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "reply MESSAGE FILE",
		Short: "Answer a message with delta blocks",
		Long: `Answer a message of a session. The delta blocks of the reply wait for the next
compile; everything else is kept as your notes, which no other agent reads. FILE
may be - for standard input. The same reply again changes nothing.`,
		Example: `  brenner mail reply msg-12 reply.md --as BlueLake`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			text, err := r.read(a[1], brenner.MaxReplyBytes)
			if err != nil {
				return err
			}
			sub, err := ask(r, cmd, api.Service.ReplyMessage, api.ReplyMessageRequest{Write: r.write(), ID: a[0], Text: string(text)})
			if err != nil {
				return err
			}
			return r.showSubmission(sub)
		},
	}
}
