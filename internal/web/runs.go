package web

import (
	"maps"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/program"
)

// runList is the runs, the newest first, and what they used together.
type runList struct {
	Runs   []runRow
	Cursor string
	Live   int
	Count  int // of all pages, 0 if it was not counted
	Sums   []runSum
	Total  api.RunSum
	// Partial says that the sums are of the newest runs, and that there are more.
	Partial bool
}

// runRow is a run as a line of a list.
type runRow struct {
	api.RunInfo
	Path, WorkPath string
	// Ends says how it ended, or what it does now.
	Ends string
	Took string
	Used string
}

// runSum is what the runs of one agent used.
type runSum struct {
	Name string
	api.RunSum
}

func loadRuns(v *visit) (string, any, error) {
	req := api.ListRunsRequest{Page: v.page(perPage), Agent: brenner.ActorName(v.query("agent")), Work: workOf(v.query("work")), Oldest: v.query("sort") != ""}
	if v.query("state") == string(api.RunRunning) {
		req.States = []api.RunState{api.RunRunning}
	}
	list, err := v.svc.Runs(v.Context(), req)
	if err != nil {
		return "", nil, err
	}
	costs, err := v.svc.RunCosts(v.Context(), api.RunCostsRequest{Work: req.Work})
	out := runList{Cursor: list.Cursor, Total: costs.Total, Partial: costs.Partial, Runs: runRows(list.Runs, v.project.Now)}
	for _, name := range slices.Sorted(maps.Keys(costs.ByAgent)) {
		out.Sums = append(out.Sums, runSum{name, costs.ByAgent[name]})
	}
	for _, r := range list.Runs {
		if r.State == api.RunRunning {
			out.Live++
		}
	}
	switch {
	case len(req.States) > 0: // those under way stand on one page
	case costs.Partial: // nobody knows
	case req.Agent != "":
		out.Count = costs.ByAgent[string(req.Agent)].Runs
	default:
		out.Count = costs.Total.Runs
	}
	return "Runs", out, err
}

// workOf tells a task from a session by its id.
func workOf(id string) api.Work {
	if strings.HasPrefix(id, "task-") {
		return api.Work{Task: id}
	}
	return api.Work{Session: brenner.SessionID(id)}
}

func runRows(runs []api.RunInfo, now time.Time) []runRow {
	out := make([]runRow, len(runs))
	for i, r := range runs {
		out[i] = runRowOf(r, now)
	}
	return out
}

func runRowOf(r api.RunInfo, now time.Time) runRow {
	row := runRow{RunInfo: r, Path: runPath(r.ID), WorkPath: sessionPath(r.Session), Used: usedWords(r.Usage)}
	if r.Task != "" {
		row.WorkPath = taskPath(r.Task)
	}
	until := r.Ended
	switch {
	case r.State == api.RunEnded:
		row.Ends = r.Cause.Sentence()
	case r.Stopping != "":
		row.Ends, until = "is asked to stop", now
	case r.Doing != nil:
		row.Ends, until, row.Used = r.Doing.Does, now, usedWords(r.Doing.Usage)
	default:
		until = now
	}
	row.Took = max(until.Sub(r.Started), 0).Round(time.Second).String()
	return row
}

// usedWords is what a run used, as far as it was told.
func usedWords(u program.Usage) string {
	var parts []string
	if t := u.Tokens; t != nil {
		parts = append(parts, thousands(t.Read())+" tokens in, "+thousands(t.Out)+" out")
	}
	if u.Cost != nil {
		parts = append(parts, u.Cost.String())
	}
	return strings.Join(parts, ", ")
}

func runPath(id string) string { return "/runs/" + id }

// runPage is one run and what it printed.
type runPage struct {
	runRow
	Log string
	// Cut says that the beginning of the log is left out here.
	Cut bool
	// Redacted says that it was taken out on purpose.
	Redacted bool
}

// shownLog is how much of the end of a log the page shows.
const shownLog = 256 << 10

func loadRun(v *visit) (string, any, error) {
	r, err := v.svc.Run(v.Context(), api.RunRequest{ID: v.PathValue("id")})
	if err != nil {
		return "", nil, err
	}
	log, err := v.svc.RunLog(v.Context(), api.RunRequest{ID: r.ID})
	if err != nil && brenner.ClassOf(brenner.CodeOf(err)) != brenner.ClassGone {
		return "", nil, err
	}
	out := runPage{runRow: runRowOf(r, v.project.Now), Log: log.Text, Redacted: err != nil}
	if over := len(out.Log) - shownLog; over > 0 {
		if i := strings.IndexByte(out.Log[over:], '\n'); i >= 0 {
			over += i + 1
		}
		out.Log, out.Cut = strings.ToValidUTF8(out.Log[over:], ""), true
	}
	return r.ID, out, nil
}

// runActs are what a person does about a run.
var runActs = map[string]act{
	"stop": func(v *visit) (string, error) {
		r, err := v.svc.StopRun(v.Context(), api.StopRunRequest{Write: v.write(), ID: v.PathValue("id"), Reason: v.field("reason")})
		return runPath(r.ID), err
	},
}
