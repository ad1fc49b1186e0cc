package web

import (
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/playbook"
	"brenner/stalemate"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// activityPage is what happened, newest first, in words.
type activityPage struct {
	Feed   []happening
	Agents []api.AgentInfo
	// Older is the address of what happened before, Newest that of the
	// beginning.
	Older, Newest string
}

// happening is a record in words, or several in a row of which the same is to be said.
type happening struct {
	At    time.Time // of the newest of them
	Words template.HTML
	Times int
}

func loadActivity(v *visit) (string, any, error) {
	list, err := v.svc.Records(v.Context(), api.RecordsRequest{
		Newest: true, Limit: perPage, Before: v.number("before"), Actor: brenner.ActorName(v.query("actor")), About: v.query("about"),
	})
	if err != nil {
		return "", nil, err
	}
	agents, err := v.svc.Agents(v.Context())
	out := activityPage{Feed: feed(list.Records), Agents: agents.Agents, Newest: v.with("before", "")}
	if list.More {
		out.Older = v.with("before", strconv.FormatInt(list.Last, 10))
	}
	return "Activity", out, err
}

// feed tells records, the newest first.
func feed(records []api.RecordInfo) []happening {
	out := make([]happening, 0, len(records))
	for _, r := range records {
		words := tell(r)
		if n := len(out); n > 0 && out[n-1].Words == words {
			out[n-1].Times++
			continue
		}
		out = append(out, happening{r.At, words, 1})
	}
	return out
}

// tell puts a record into a sentence. What one names is a link; what another
// wrote is quoted as text.
func tell(r api.RecordInfo) template.HTML {
	p := payload{}
	_ = json.Unmarshal(r.Payload, &p) // a record without the fields is told without them
	sentence, known := sentences[r.Kind]
	if !known {
		sentence = func(payload) string { return escaped(strings.NewReplacer(".", " ", "_", " ").Replace(r.Kind)) }
	}
	return template.HTML(anchorTo("/agents/", string(r.Actor)) + " " + sentence(p)) //nolint:gosec // every part is escaped where it is put in
}

// payload is what records say, as far as a sentence needs it: each field is
// there in some kinds.
type payload map[string]jsontext.Value

// text is a field that is a string; another value is left out.
func (p payload) text(name string) string {
	var s string
	if p[name].Kind() != '"' || json.Unmarshal(p[name], &s) != nil {
		return ""
	}
	return s
}

func (p payload) number(name string) string {
	if p[name].Kind() != '0' {
		return "0"
	}
	return string(p[name])
}

// count is how many elements a list has.
func (p payload) count(name string) int {
	var list []jsontext.Value
	if p[name].Kind() != '[' || json.Unmarshal(p[name], &list) != nil {
		return 0
	}
	return len(list)
}

// names lists the strings of a field as links below a path.
func (p payload) names(name, base string) string {
	var list []string
	if p[name].Kind() != '[' || json.Unmarshal(p[name], &list) != nil {
		return ""
	}
	for i, s := range list {
		list[i] = anchorTo(base, s)
	}
	return strings.Join(list, ", ")
}

// pausedWords names the rule that was paused, or all of them.
func pausedWords(p payload) string {
	if rule := p.text("rule"); rule != "*" {
		return "the rule " + escaped(rule)
	}
	return "what happens by itself"
}

func escaped(s string) string { return template.HTMLEscapeString(s) }

// anchorTo links a name below a path.
func anchorTo(base, name string) string {
	if name == "" {
		return ""
	}
	return `<a href="` + escaped(base+url.PathEscape(name)) + `">` + escaped(name) + `</a>`
}

func (p payload) artifact(name string) string { return anchorTo("/artifacts/", p.text(name)) }
func (p payload) task() string                { return anchorTo("/tasks/", p.text("id")) }

// quote adds what somebody wrote, shortened, after a colon; nothing if there is
// nothing.
func (p payload) quote(name string) string {
	text := strings.Join(strings.Fields(p.text(name)), " ")
	if text == "" {
		return ""
	}
	return `: <span class="quiet">` + escaped(brenner.Clip(text, 160)) + `</span>`
}

// sentences are what is said of each kind of record, after who did it.
var sentences = map[string]func(payload) string{
	"project.created": func(p payload) string { return "began the project " + escaped(p.text("name")) },
	"config.applied":  func(payload) string { return "put a configuration in force" },
	"actor.put": func(p payload) string {
		return "registered " + anchorTo("/agents/", p.text("name")) + " as " + escaped(strings.ReplaceAll(p.text("role"), "_", " "))
	},
	"version.written": func(p payload) string {
		ref := fmt.Sprintf("%s@%s", p.text("id"), p.number("version"))
		return "wrote " + anchorTo("/artifacts/", ref) + p.quote("summary")
	},
	"link.added": func(p payload) string { return "linked " + p.artifact("from") + " to " + p.artifact("to") },
	"status.decided": func(p payload) string {
		return verb(decisionVerbs, p.text("status")) + " " + p.artifact("ref") + p.quote("reason")
	},
	"content.redacted": func(p payload) string { return "redacted a content" + p.quote("reason") },

	"automation.fired": func(p payload) string {
		return "fired the rule " + escaped(p.text("rule")) + p.quote("why")
	},
	"automation.looked":  func(payload) string { return "looked at what happened, and had nothing to do" },
	"automation.paused":  func(p payload) string { return "paused " + pausedWords(p) + p.quote("reason") },
	"automation.resumed": func(p payload) string { return "resumed " + pausedWords(p) + p.quote("reason") },
	"automation.settled": func(payload) string { return "took notice of what rules told" },

	"review.approved": func(p payload) string { return "approved " + p.artifact("ref") },

	"task.opened": func(p payload) string { return "opened " + p.task() + p.quote("title") },
	"task.doing": func(p payload) string {
		if hold := p.text("hold"); hold != "" {
			return "does next, with " + escaped(hold) + " to itself" + p.quote("title")
		}
		return "does next" + p.quote("title")
	},
	"task.claimed": func(p payload) string {
		return "claimed " + p.task() + " for " + anchorTo("/agents/", p.text("holder"))
	},
	"task.released": func(p payload) string { return "gave " + p.task() + " back" },
	"task.completed": func(p payload) string {
		done := "completed " + p.task()
		if out := p.names("outputs", "/artifacts/"); out != "" {
			done += " with " + out
		}
		if n := p.count("moved"); n > 0 {
			done += ", after " + plural(n, "input") + " had moved"
		}
		return done
	},
	"task.canceled": func(p payload) string { return "canceled " + p.task() + p.quote("reason") },

	"run.started": func(p payload) string {
		work := anchorTo("/sessions/", p.text("session"))
		if p.text("task") != "" {
			work = anchorTo("/tasks/", p.text("task"))
		}
		return "started " + anchorTo("/agents/", p.text("agent")) + " for " + work + " as " + anchorTo("/runs/", p.text("id"))
	},
	"run.ended":   func(p payload) string { return "ended " + anchorTo("/runs/", p.text("id")) },
	"run.renewed": func(p payload) string { return "went on with " + anchorTo("/runs/", p.text("id")) },
	"run.stop_asked": func(p payload) string {
		return "asked " + anchorTo("/runs/", p.text("id")) + " to stop" + p.quote("reason")
	},

	"session.started": func(p payload) string {
		return "asked " + p.names("recipients", "/agents/") + " in " + anchorTo("/sessions/", p.text("id")) + p.quote("question")
	},
	"reply.received": func(p payload) string {
		return "took in a reply of " + anchorTo("/agents/", p.text("agent")) + " to " + anchorTo("/sessions/", p.text("session")) + ", " + plural(p.count("deltas"), "delta")
	},
	"session.closed": func(p payload) string {
		return "closed " + anchorTo("/sessions/", p.text("session")) + p.quote("reason")
	},
	"session.compiled": func(p payload) string {
		done := "compiled " + anchorTo("/sessions/", p.text("session"))
		if v := p.number("version"); v != "0" {
			done += " into " + anchorTo("/artifacts/", p.text("session")+"@"+v)
		}
		if n := p.number("conflicts"); n != "0" {
			done += ", conflicts: " + escaped(n)
		}
		return done
	},
	"message.sent": func(p payload) string {
		if p.text("session") == "" {
			return "told " + anchorTo("/agents/", p.text("to")) + p.quote("subject")
		}
		return "sent " + anchorTo("/agents/", p.text("to")) + " the " + escaped(p.text("kind")) + " of " + anchorTo("/sessions/", p.text("session"))
	},
	"message.tried": func(p payload) string {
		if p.text("code") == "" {
			return "delivered a message to " + anchorTo("/agents/", p.text("to"))
		}
		return "could not deliver a message to " + anchorTo("/agents/", p.text("to")) + p.quote("message")
	},
	"message.acked": func(payload) string { return "acknowledged a message" },
	"message.read":  func(payload) string { return "read a message" },

	"context.assembled": func(p payload) string {
		return "was shown " + anchorTo("/contexts/", p.text("id")) + ", items: " + escaped(p.number("items"))
	},
	"context.read": func(p payload) string { return "read more through " + anchorTo("/contexts/", p.text("id")) },
	"patch.failed": func(p payload) string {
		return "sent a patch on " + p.artifact("ref") + " that was refused: <code>" + escaped(p.text("code")) + "</code>"
	},

	"stalemate.raised": func(p payload) string {
		about := ""
		if p.text("target") != "" {
			about = " about " + p.artifact("target")
		}
		return "raised a stalemate" + about + ", " + stalemateLink(p.text("ref"))
	},
	"stalemate.moved": func(p payload) string {
		return verb(stalemateVerbs, p.text("action")) + " " + anchorTo("/stalemates/", p.text("id")) + p.quote("reason")
	},

	"playbook.frozen": func(p payload) string { return "began the playbook " + escaped(p.text("domain")) },
	"bullet.updated": func(p payload) string {
		return verb(lessonVerbs, p.text("kind")) + " " + anchorTo("/playbook/", p.text("bullet")) + p.quote("reason")
	},
	"consolidation.done": func(p payload) string { return "consolidated; tasks opened: " + strconv.Itoa(p.count("tasks")) },
	"review.requested":   func(p payload) string { return "handed in " + p.artifact("ref") },
	"changes.requested": func(p payload) string {
		return "sent " + p.artifact("ref") + " back with " + p.artifact("critique") + " and " + anchorTo("/tasks/", p.text("task"))
	},
	"version.reaffirmed": func(p payload) string {
		return "confirmed that " + p.artifact("ref") + " still holds, as " + p.artifact("new")
	},
	"comment.written": func(p payload) string { return "commented on " + anchorTo("/review/", p.text("ref")) },
	"comment.settled": func(payload) string { return "settled a comment" },
	"notice.queued":   func(p payload) string { return "notified of what waits, things: " + strconv.Itoa(p.count("items")) },
	"notice.tried": func(p payload) string {
		if p.text("why") == "" {
			return "delivered a notification"
		}
		return "could not deliver a notification" + p.quote("why")
	},
	"token.issued":  func(p payload) string { return "made a token for " + anchorTo("/agents/", p.text("actor")) },
	"token.revoked": func(p payload) string { return "revoked a token of " + anchorTo("/agents/", p.text("actor")) },
}

func stalemateLink(ref string) string {
	id, _, _ := strings.Cut(ref, "@")
	return anchorTo("/stalemates/", id)
}

// verb is what is said of a deed; one that has no words of its own is named.
func verb[T ~string](words map[T]string, deed string) string {
	if said, ok := words[T(deed)]; ok {
		return said
	}
	return escaped(strings.ReplaceAll(deed, "_", " "))
}

var decisionVerbs = map[artifact.Status]string{
	artifact.Canonical: "promoted", artifact.Draft: "demoted", artifact.Deprecated: "deprecated", artifact.Superseded: "superseded",
}

var stalemateVerbs = map[stalemate.Action]string{
	stalemate.Arbitration: "took on", stalemate.Deliver: "decided", stalemate.Accept: "accepted the verdict on",
	stalemate.Appeal: "appealed against the verdict on", stalemate.Implement: "implemented the remedy of",
	stalemate.Verify: "verified the remedy of", stalemate.Reopen: "reopened", stalemate.Withdraw: "withdrew",
	stalemate.Reply: "said what it holds in",
}

var lessonVerbs = map[playbook.Kind]string{
	playbook.KindAdd: "learned", playbook.KindMatch: "saw again", playbook.KindFeedback: "judged", playbook.KindPromote: "moved up",
	playbook.KindQuarantine: "quarantined", playbook.KindRelease: "released", playbook.KindApprove: "approved", playbook.KindReject: "rejected",
	playbook.KindFold: "folded another into", playbook.KindRetire: "retired", playbook.KindUndo: "took back a record of",
}
