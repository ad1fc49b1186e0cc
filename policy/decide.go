package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/artifact"
	"brenner/delta"
)

// Request is a question to the policy: may this actor do that?
type Request struct {
	Actor  brenner.ActorName
	Person bool // a person, not an agent
	Role   brenner.Role
	Action Action
	// Type is the artifact type of an action on artifacts. A read without a
	// type asks whether the role reads anything at all, as before a listing
	// whose items are then asked for one by one.
	Type   brenner.TypeName
	Module brenner.Module
	// Section and Operation are those of a delta. A Delta without a section asks
	// whether the role contributes at all.
	Section   delta.Section
	Operation delta.Operation
	// Target names what it is about, for the message; Doing what is done, where that is
	// not called as the action that it takes.
	Target, Doing string
}

// Decision is the answer, with its reason in words.
type Decision struct {
	Allowed bool
	Code    brenner.Code // READ_DENIED or WRITE_DENIED unless allowed
	Reason  string
}

// Decide answers a request from the policies in force. What nothing allows is
// denied (C7, C8).
func Decide(policies map[brenner.Role]Policy, r Request) Decision {
	if !known(r.Action) {
		return deny(r, fmt.Sprintf("there is no act %q", r.Action))
	}
	if r.Person && r.Role == brenner.PI {
		return allow("the person who leads the project may do everything")
	}
	if !r.Person {
		if reason := neverForAgents(r); reason != "" {
			return deny(r, reason)
		}
	}
	p, ok := policies[r.Role]
	if !ok || p.Role != r.Role {
		return deny(r, fmt.Sprintf("the role %q has no policy", r.Role))
	}
	if isAct(r.Action) {
		if slices.Contains(p.Acts, r.Action) {
			if r.Action == Delta && r.Section != "" && !p.writes(r.Section, r.Operation) {
				return deny(r, fmt.Sprintf("the policy of %s writes deltas to %s", p.Role, words(p.Sections)))
			}
			return allow(fmt.Sprintf("the policy of %s lists %s", p.Role, r.Action))
		}
		if len(p.Acts) == 0 {
			return deny(r, fmt.Sprintf("the policy of %s names no `acts`, so the role may do nothing that is not about a type", p.Role))
		}
		return deny(r, fmt.Sprintf("the policy of %s lists %s", p.Role, words(p.Acts)))
	}
	return decideType(p, r)
}

// Ever answers a request about nothing in particular: whether there is any type
// at all that it would be allowed for.
func Ever(policies map[brenner.Role]Policy, r Request) Decision {
	d := Decide(policies, r)
	if d.Allowed {
		return d
	}
	p := policies[r.Role]
	for _, t := range slices.Concat(p.Read, p.Write, p.Promote) {
		r.Type = t
		if some := Decide(policies, r); some.Allowed {
			return some
		}
	}
	return d
}

// DecideAutomation answers a request of what happens by itself (A1).
func DecideAutomation(r Request) Decision { return Decide(automation, r) }

// writes says whether the deltas of a role may touch a section (D25).
func (p Policy) writes(section delta.Section, op delta.Operation) bool {
	return len(p.Sections) == 0 || slices.ContainsFunc(p.Sections, func(s Scope) bool { return s.covers(section, op) })
}

// Err is nil if the request is allowed, and otherwise the refusal.
func (d Decision) Err(r Request) error {
	if d.Allowed {
		return nil
	}
	about := strings.TrimSpace(string(r.Type) + " " + r.Target)
	if about != "" {
		about = " " + about
	}
	hint := "ask the PI, or act in a role that may"
	if r.Action == Write && r.Type != "" && strings.Contains(d.Reason, " writes ") && !strings.HasSuffix(d.Reason, orNothing("")) {
		hint = "write it as a type that you may write, or ask the PI"
	}
	if neverForAgents(r) != "" && !r.Person {
		hint = "only a person may; ask the PI"
	}
	return brenner.Errorf(d.Code, "%s may not %s%s: %s", r.Actor, cmp.Or(r.Doing, string(r.Action)), about, d.Reason).WithHint(hint)
}

// neverForAgents names what no policy can give to an agent, or "".
func neverForAgents(r Request) string {
	switch {
	case r.Action == Audit:
		return "no agent sees the journal, the change feed or a dump"
	case r.Action == Admin:
		return "no agent administers the project"
	case r.Action == Run && r.Role != Runner:
		return "no agent starts agents"
	case r.Action == Read && r.Type == artifact.TypeRawLog && r.Role != Distiller && r.Role != System:
		return "only a distiller reads raw logs"
	case decides(r.Action) && r.Type == artifact.TypeRolePolicy:
		return "no agent decides who may do what"
	}
	return ""
}

// decideType answers for an action on artifacts.
func decideType(p Policy, r Request) Decision {
	if len(p.Modules) > 0 && r.Module != "" && !slices.Contains(p.Modules, r.Module) {
		return deny(r, fmt.Sprintf("the policy of %s keeps it to %s", p.Role, words(p.Modules)))
	}
	verb, types := "reads", p.Read
	switch {
	case r.Action == Write || r.Action == Link:
		verb, types = "writes", p.Write
	case decides(r.Action):
		verb, types = "decides upon", p.Promote
	}
	if covers(types, r) {
		return allow(fmt.Sprintf("the policy of %s %s %s", p.Role, verb, words(types)))
	}
	return deny(r, fmt.Sprintf("the policy of %s %s %s", p.Role, verb, orNothing(words(types))))
}

// covers reports whether a list of types holds the one asked for.
func covers(types []brenner.TypeName, r Request) bool {
	if r.Type == "" {
		return r.Action == Read && len(types) > 0
	}
	if slices.Contains(types, r.Type) {
		return true
	}
	if r.Action == Read && r.Type == artifact.TypeRawLog {
		return false
	}
	return slices.Contains(types, Any)
}

// decides reports whether an action changes the status of a version.
func decides(a Action) bool { return a == Promote || a == Demote || a == Deprecate }

func isAct(a Action) bool { return slices.Contains(Acts(), a) }

func known(a Action) bool { return a == Read || a == Write || a == Link || decides(a) || isAct(a) }

func allow(reason string) Decision { return Decision{Allowed: true, Reason: reason} }

func deny(r Request, reason string) Decision {
	code := brenner.CodeWriteDenied
	switch r.Action {
	case Read, Audit, Status, ContextAssemble, ContextPreview:
		code = brenner.CodeReadDenied
	}
	return Decision{Code: code, Reason: reason}
}

func words[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}

func orNothing(list string) string {
	if list == "" {
		return "nothing"
	}
	return list
}
