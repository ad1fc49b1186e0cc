package web

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/roster"
)

// sessionList is the sessions, and the form that starts one.
type sessionList struct {
	api.SessionList
	Choices api.RosterChoices
	Chosen  string // the preset that filled the form
	Roles   []brenner.Role
	Places  []roster.Entry // the rows of the form
}

// rosterRows is how many agents the form has room for at least.
const rosterRows = 6

func loadSessions(v *visit) (string, any, error) {
	list, err := v.svc.Sessions(v.Context(), api.ListSessionsRequest{Page: v.page(perPage), Oldest: v.query("sort") != ""})
	if err != nil {
		return "", nil, err
	}
	agents, err := v.svc.Agents(v.Context())
	if err != nil {
		return "", nil, err
	}
	choices, err := v.svc.Rosters(v.Context())
	if err != nil {
		return "", nil, err
	}
	out := sessionList{SessionList: list, Choices: choices, Roles: roster.Roles()}
	if v.PostForm != nil {
		out.Places, out.Chosen = v.rosterRows(), v.field("preset")
	} else if out.Places, out.Chosen, err = startRows(v.query("preset"), choices, agents.Agents); err != nil {
		return "", nil, err
	}
	for len(out.Places) < rosterRows {
		out.Places = append(out.Places, roster.Entry{})
	}
	return "Sessions", out, nil
}

// startRows fills the form from the preset that is named; if none is, from the
// roster of the project, its default preset, or the first there is.
func startRows(id string, choices api.RosterChoices, agents []api.AgentInfo) ([]roster.Entry, string, error) {
	if id == "" && len(choices.Roster.Entries) > 0 {
		return slices.Clone(choices.Roster.Entries), "", nil
	}
	preset, err := roster.FindPreset(choices.Presets, cmp.Or(id, choices.Default, choices.Presets[0].ID))
	return presetRows(preset, agents), preset.ID, err
}

// presetRows gives each place of a preset to the first agent that has its role
// and no place yet.
func presetRows(preset roster.Preset, agents []api.AgentInfo) []roster.Entry {
	var rows []roster.Entry
	taken := map[brenner.ActorName]bool{}
	for _, p := range preset.Entries {
		row := roster.Entry{Role: p.Role, Program: p.Program, Model: p.Model, Notes: p.Notes}
		for _, a := range agents {
			if a.Role == p.Role && a.Active && !taken[a.Name] {
				row.AgentName, taken[a.Name] = a.Name, true
				break
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// rosterRows reads the rows of the form that name an agent.
func (v *visit) rosterRows() []roster.Entry {
	var rows []roster.Entry
	for i := range brenner.MaxRosterEntries {
		get := func(name string) string { return v.field(fmt.Sprintf("%s.%d", name, i)) }
		if get("name") != "" {
			rows = append(rows, roster.Entry{
				AgentName: brenner.ActorName(get("name")), Role: brenner.Role(get("role")), Program: get("program"), Model: get("model"),
			})
		}
	}
	return rows
}

func sessionPath(id brenner.SessionID) string { return "/sessions/" + url.PathEscape(string(id)) }

// sessionsActs start sessions. The form is the session's own configuration in
// the order of precedence (R4): above the project's, below flags, which a form
// has none of.
var sessionsActs = map[string]act{
	"start": func(v *visit) (string, error) {
		req := api.StartSessionRequest{
			Write: v.write(), Question: v.field("question"), Context: v.field("context"), Module: brenner.Module(v.field("module")),
			Transport: api.Transport(v.field("transport")), DryRun: v.field("dry") != "",
			Roster: roster.Roster{Mode: roster.Mode(v.field("mode"))},
		}
		for _, row := range v.rosterRows() {
			req.To = append(req.To, row.AgentName)
			if row.Role == "" { // its place in the preset decides
				req.Preset = v.field("preset")
				continue
			}
			req.Roster.Entries = append(req.Roster.Entries, row)
		}
		if req.Question == "" {
			return "", brenner.Errorf(brenner.CodeInvalidValue, "a session needs a question").At("/question").
				WithHint("say what the agents are to find out")
		}
		started, err := v.svc.StartSession(v.Context(), req)
		if err == nil && req.DryRun {
			for i, m := range started.Messages {
				started.Messages[i].Body = brenner.Speak(m.Body, brenner.Action.Command)
			}
			v.result = started
			return "", nil
		}
		return sessionPath(started.Session.ID), err
	},
}

// onSession leads back to the session, or, with what was done still to be
// read, shows it again.
func onSession(do func(*visit, brenner.SessionID) (any, error)) act {
	return func(v *visit) (string, error) {
		id := brenner.SessionID(v.PathValue("id"))
		result, err := do(v, id)
		if v.result = result; result != nil || err != nil {
			return "", err
		}
		return sessionPath(id), nil
	}
}

// sessionResult is what an act on a session has to tell: one of them.
type sessionResult struct {
	Compiled *api.CompileResult
	Fetched  *api.FetchResult
	// Unusable is a reply in which no delta was found.
	Unusable *api.Submission
}

// sessionActs work on one session.
var sessionActs = map[string]act{
	"compile": onSession(func(v *visit, id brenner.SessionID) (any, error) {
		res, err := v.svc.CompileSession(v.Context(), api.CompileSessionRequest{Write: v.write(), ID: id})
		if err != nil {
			return nil, err
		}
		return sessionResult{Compiled: &res}, nil
	}),
	"fetch": onSession(func(v *visit, id brenner.SessionID) (any, error) {
		res, err := v.svc.FetchReplies(v.Context(), api.FetchRepliesRequest{Write: v.write(), ID: id})
		if err != nil {
			return nil, err
		}
		return sessionResult{Fetched: &res}, nil
	}),
	"nudge": onSession(func(v *visit, id brenner.SessionID) (any, error) {
		_, err := v.svc.NudgeSession(v.Context(), api.NudgeSessionRequest{Write: v.write(), ID: id, Note: v.field("note")})
		return nil, err
	}),
	"close": onSession(func(v *visit, id brenner.SessionID) (any, error) {
		_, err := v.svc.CloseSession(v.Context(), api.CloseSessionRequest{Write: v.write(), ID: id, Reason: v.field("reason")})
		return nil, err
	}),
	"resend": onSession(func(v *visit, id brenner.SessionID) (any, error) {
		_, err := v.svc.ResendSession(v.Context(), api.ResendSessionRequest{ID: id})
		return nil, err
	}),
	"submit": onSession(func(v *visit, id brenner.SessionID) (any, error) {
		res, err := v.svc.SubmitDeltas(v.Context(), api.SubmitDeltasRequest{
			Write: v.write(), Session: id, From: brenner.ActorName(v.field("from")), Text: v.field("text"),
		})
		if err != nil || len(res.Deltas) > 0 {
			return nil, err
		}
		return sessionResult{Unusable: &res}, nil
	}),
	"resolve": onSession(func(v *visit, id brenner.SessionID) (any, error) {
		req := api.ResolveConflictRequest{
			Write: v.write(), Session: id, Item: conflictItem(v), Field: v.field("field"), Take: v.field("take"), Reason: v.field("reason"),
		}
		if req.Take == "" {
			req.Value = jsonValue(v.field("value"), v.field("kind"))
		}
		res, err := v.svc.ResolveConflict(v.Context(), req)
		if err != nil {
			return nil, err
		}
		return sessionResult{Compiled: &res}, nil
	}),
}

// jsonValue writes what was typed as the kind of value that the field holds.
func jsonValue(typed, kind string) []byte {
	if kind != "string" && strings.TrimSpace(typed) != "" {
		return []byte(typed)
	}
	return quoted(typed)
}
