package web

import (
	"html/template"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json/jsontext"
)

// sessionPage is one session: who was asked, what they made of the artifact,
// and what became of each delta.
type sessionPage struct {
	api.SessionView
	Status    api.SessionStatus
	Sections  []section
	Answer    template.HTML // what the research thread says the answer is
	Conflicts []conflict
	Replies   []api.ReplyReport
	Silent    []brenner.ActorName
	Queued    int // deltas that wait for a compile
	Runs      []runRow
	Used      api.RunSum // by all of them
}

// section is one of the seven parts of the artifact.
type section struct {
	Title string
	Items []item
	// More counts the items that are not shown.
	More int
	// Hypotheses and Rows are the predictions as a table, for the section that
	// is one.
	Hypotheses []item
	Rows       []prediction
	// Against are the critiques to be read with the answer, below the research thread.
	Against []delta.Critique
	// Killed are the items that the answer names and that were killed since.
	Killed []delta.Dead
	// Observed says that of some row it is said what came out.
	Observed bool
}

// item is an item of a section as it is shown.
type item struct {
	ID     delta.ItemID
	Title  string
	Killed *delta.Death
	Score  float64
	Test   bool
	Fields []itemField
}

// itemField is a field of an item that has something to say.
type itemField struct {
	Label    string
	Text     string
	List     []string
	Pairs    []delta.Pair
	Conflict bool
}

// prediction is a row of the predictions table, a cell for each hypothesis.
type prediction struct {
	item
	Cells    []cell
	Observed string // what came out of it
}

// cell is what a hypothesis says about a row.
type cell struct {
	Hypothesis string
	Text       string
	Foretold   string // of a hypothesis that is dead by now
}

// conflict is an unsettled field and what it could be.
type conflict struct {
	delta.Conflict
	Field string // as the service takes it
	Kind  string // of the values: string, number or bool
}

// inConflict is what an unsettled field shows.
const inConflict = "CONFLICT"

func loadSession(v *visit) (string, any, error) {
	id := brenner.SessionID(v.PathValue("id"))
	view, err := v.svc.Session(v.Context(), api.SessionRequest{ID: id, Version: brenner.Version(v.number("version")), Full: true})
	if err != nil {
		return "", nil, err
	}
	out := sessionPage{SessionView: view}
	if out.Status, err = v.svc.SessionStatus(v.Context(), api.SessionStatusRequest{ID: id}); err != nil {
		return "", nil, err
	}
	diagnosis, err := v.svc.DiagnoseSession(v.Context(), api.DiagnoseSessionRequest{ID: id, Page: api.Page{Limit: perPage}})
	if err != nil {
		return "", nil, err
	}
	for _, r := range out.Status.Recipients {
		out.Queued += r.Pending
	}
	out.Replies, out.Silent = diagnosis.Replies, diagnosis.Silent
	a, err := delta.ReadArtifact(view.Content)
	if err != nil {
		return "", nil, err
	}
	ran, err := v.svc.Runs(v.Context(), api.ListRunsRequest{Page: api.Page{Limit: perPage}, Work: api.Work{Session: id}})
	if err != nil {
		return "", nil, err
	}
	out.Runs = runRows(ran.Runs, v.project.Now)
	if len(ran.Runs) > 0 {
		costs, err := v.svc.RunCosts(v.Context(), api.RunCostsRequest{Work: api.Work{Session: id}})
		if err != nil {
			return "", nil, err
		}
		out.Used = costs.Total
	}
	out.Sections = document(a, v.query("full") != "")
	if rt, ok := a.Item("RT"); ok {
		out.Answer = cited(a, rt.Text("answer"))
	}
	thread := slices.Index(delta.Sections(), delta.ResearchThread)
	out.Sections[thread].Killed = view.AnswerKilled
	for _, c := range view.Critiques {
		if c.BesideAnswer() {
			out.Sections[thread].Against = append(out.Sections[thread].Against, c)
		}
	}
	for _, c := range a.Conflicts() {
		out.Conflicts = append(out.Conflicts, conflict{c, c.Name(), kindOf(c.Candidates[0].Value)})
	}
	title := view.Question
	if title == "" {
		title = string(id)
	}
	return title, out, nil
}

func kindOf(value jsontext.Value) string {
	switch value.Kind() {
	case '0':
		return "number"
	case 't', 'f':
		return "bool"
	}
	return "string"
}

// document lays a session artifact out by its sections, each as much of it as
// a page shows, or all.
func document(a *delta.Artifact, all bool) []section {
	var out []section
	for _, schema := range delta.Schemas() {
		out = append(out, sectionOf(a, schema, all))
	}
	return out
}

// sectionOf lays a section out.
func sectionOf(a *delta.Artifact, schema delta.Schema, all bool) section {
	out := section{Title: schema.Title}
	items := a.Items(schema.Section)
	if !all {
		items = items[:min(len(items), perPage)]
		out.More = len(a.Items(schema.Section)) - len(items)
	}
	if schema.Section != delta.PredictionsTable {
		for _, it := range items {
			out.Items = append(out.Items, itemOf(it, schema))
		}
		return out
	}
	for _, h := range a.Items(delta.HypothesisSlate) {
		out.Hypotheses = append(out.Hypotheses, item{ID: h.ID(), Title: h.Text("name"), Killed: h.Killed()})
	}
	for _, it := range items {
		row := prediction{item: item{ID: it.ID(), Title: it.Text("condition"), Killed: it.Killed()}}
		for _, h := range out.Hypotheses {
			row.Cells = append(row.Cells, cell{strings.TrimSpace(string(h.ID) + " " + h.Title), a.Prediction(it, string(h.ID)), a.Foretold(it, string(h.ID))})
		}
		row.Observed = it.Text("observed")
		out.Observed = out.Observed || row.Observed != ""
		out.Rows = append(out.Rows, row)
	}
	return out
}

// itemOf lists the fields of an item that are filled in.
func itemOf(it *delta.Item, schema delta.Schema) item {
	out := item{ID: it.ID(), Killed: it.Killed(), Test: schema.Section == delta.DiscriminativeTests, Score: it.Score()}
	leading, others := []delta.Field{}, []delta.Field{}
	for _, f := range schema.Aside {
		if f.Leads {
			leading = append(leading, f)
		} else {
			others = append(others, f)
		}
	}
	for _, f := range slices.Concat(leading, schema.Fields, others) {
		field := itemField{Label: f.Label}
		switch f.Kind {
		case delta.KindText:
			field.Text = it.Text(f.Name)
			field.Conflict = field.Text == inConflict
		case delta.KindFlag:
			if it.Flag(f.Name) {
				field.Text = "yes"
			}
		case delta.KindList:
			field.List = it.List(f.Name)
		case delta.KindReferences:
			for _, r := range it.References() {
				field.List = append(field.List, strings.Join([]string{r.Relation, string(r.Session), string(r.Item)}, " "))
			}
		case delta.KindOutcomes, delta.KindScore:
			field.Pairs = it.Pairs(f.Name)
		}
		switch {
		case f.Name == "name":
			out.Title = field.Text
		case field.Text != "" || len(field.List) > 0 || len(field.Pairs) > 0:
			out.Fields = append(out.Fields, field)
		}
	}
	return out
}

func conflictItem(v *visit) delta.ItemID { return delta.ItemID(v.field("item")) }

var itemID = lazy.NewPattern(`\b[A-Z]{1,2}[0-9]+\b`)

// cited is a text that may name items of a session's document, with a link to each.
func cited(a *delta.Artifact, text string) template.HTML {
	var b strings.Builder
	at := 0
	for _, place := range itemID.FindAllStringIndex(text, -1) {
		id := text[place[0]:place[1]]
		if _, known := a.Item(delta.ItemID(id)); known {
			b.WriteString(template.HTMLEscapeString(text[at:place[0]]) + `<a href="#` + id + `">` + id + `</a>`)
			at = place[1]
		}
	}
	return template.HTML(b.String() + template.HTMLEscapeString(text[at:])) //nolint:gosec // escaped but for the links
}
