package disputes

import (
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/stalemate"
)

// Mail is what disputes need of the mailbox.
type Mail interface {
	// Tell writes a message of the system to an agent; others, and the caller,
	// are passed over.
	Tell(ch *kernel.Change, to brenner.ActorName, kind api.MessageKind, subject, text string) error
}

// tell writes to the parties of a stalemate and to whoever raised it. What
// agents wrote stays in the artifact (C2): the message says where.
func (r *Room) tell(ch *kernel.Change, row standing, kind api.MessageKind, subject, text string) error {
	concerned := slices.Sorted(slices.Values(append(slices.Clone(row.Parties), row.Raiser)))
	for _, name := range slices.Compact(concerned) {
		if err := r.Mail.Tell(ch, name, kind, subject, text); err != nil {
			return err
		}
	}
	return nil
}

func (r *Room) tellRaised(ch *kernel.Change, row standing) error {
	yours := "Nobody says for you what you hold to be the cause. Say it yourself"
	if row.Origin == api.StalemateByImport {
		yours = "What it says you hold are the words of the request. Put your own in their place"
	}
	return r.tell(ch, row, api.MessageStalemate, fmt.Sprintf("STALEMATE: %s names you a party", row.ID), fmt.Sprintf(
		"%s raised %s, about a disagreement between %s.\n\n"+
			"- Read it, with its evidence: %s\n"+
			"- %s, with your evidence: %s\n\n"+
			"An arbiter who is no party decides; you will be told. Until you have replied, nothing is found about your side.\n",
		row.Raiser, row.ID, kernel.Join(row.Parties), brenner.Do("stalemate.show", "id", string(row.ID)).Mark(),
		yours, brenner.Do("stalemate.reply", "id", string(row.ID)).Mark()))
}

func (r *Room) tellMoved(ch *kernel.Change, row stalemateRow, action stalemate.Action) error {
	done := map[stalemate.Action]string{
		stalemate.Reply:     "said itself what it holds in",
		stalemate.Withdraw:  "withdrew",
		stalemate.Accept:    "accepted the verdict on",
		stalemate.Appeal:    "appealed against the verdict on",
		stalemate.Implement: "says that the verdict is carried out on",
		stalemate.Verify:    "says that the verdict works, and closed",
		stalemate.Reopen:    "opened another round of",
	}[action]
	if done == "" {
		return nil
	}
	return r.tell(ch, row.standing, api.MessageStalemate, fmt.Sprintf("STALEMATE: %s %s %s", ch.Who.Name, done, row.ID), fmt.Sprintf(
		"%s %s %s. Read it: %s\n", ch.Who.Name, done, row.ID, brenner.Do("stalemate.show", "id", string(row.ID)).Mark()))
}

func (r *Room) tellVerdict(ch *kernel.Change, s api.StalemateInfo) error {
	return r.tell(ch, standing(s), api.MessageVerdict, fmt.Sprintf("VERDICT: %s on %s", s.Outcome, s.ID), fmt.Sprintf(
		"%s decided %s: %s. The verdict is %s.\n\n- Read it: %s\n- A party accepts it, or appeals with a reason: %s\n",
		ch.Who.Name, s.ID, s.Outcome, s.VerdictRef,
		brenner.Do("stalemate.show", "id", string(s.ID)).Mark(), brenner.Do("stalemate.accept", "id", string(s.ID)).Mark()))
}
