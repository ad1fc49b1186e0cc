package roster

import (
	"strings"

	"brenner"
)

// ParseAgentRole reads NAME=ROLE. Whether the role is one of the three is for
// validation to say, together with everything else.
func ParseAgentRole(s string) (Entry, error) {
	name, role, ok := strings.Cut(s, "=")
	if !ok || name == "" || role == "" {
		return Entry{}, brenner.Errorf(brenner.CodeUsage, "%q is not NAME=ROLE", s).
			WithHint("for example BlueLake=hypothesis_generator")
	}
	return Entry{AgentName: brenner.ActorName(name), Role: brenner.Role(role)}, nil
}

// Addressees gathers --to NAME and --role ROLE in the order of the command
// line: a role belongs to the name before it.
type Addressees struct {
	To      []brenner.ActorName
	Entries []Entry
	paired  bool // the last name has its role
}

// Name adds a recipient.
func (a *Addressees) Name(name string) {
	a.To = append(a.To, brenner.ActorName(name))
	a.paired = false
}

// Role gives the last recipient its role; a role without a recipient of its
// own is USAGE.
func (a *Addressees) Role(role string) error {
	if len(a.To) == 0 || a.paired {
		return brenner.Errorf(brenner.CodeUsage, "the role %s does not follow a recipient of its own", role).
			WithHint("write a recipient and behind it its role, such as BlueLake and hypothesis_generator")
	}
	a.paired = true
	a.Entries = append(a.Entries, Entry{AgentName: a.To[len(a.To)-1], Role: brenner.Role(role)})
	return nil
}
