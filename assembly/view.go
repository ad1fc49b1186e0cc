package assembly

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/playbook"

	"github.com/go-json-experiment/json/jsontext"
)

// View says what a role receives (C9). It is the content of a context_view
// artifact, or an entry of `views` in the configuration.
type View struct {
	Role brenner.Role `json:"role"`
	// Types lists what is received; anything else is left out.
	Types  []TypeRule `json:"types"`
	Budget Budget     `json:"budget"`
	// Modules says whether the role may work across modules at all.
	Modules ModuleRule `json:"modules"`
	// Weights say how the parts of a score count.
	Weights Weights `json:"weights"`
	Bullets Bullets `json:"bullets"`
	// Overview and Pinned are the variants in which the brief and the task's
	// inputs come; full degrades to summary where it does not fit.
	Overview Variant `json:"overview"`
	Pinned   Variant `json:"pinned"`
	// Grow turns selected summaries into full texts, best first, as long as the
	// budget less its reserve has room (C34).
	Grow bool `json:"grow,omitzero"`
}

// TypeRule says how artifacts of one type are received.
type TypeRule struct {
	Type    brenner.TypeName `json:"type"`
	Variant Variant          `json:"variant"`
	// Max bounds how many of the type the view selects; pinned inputs do not
	// count.
	Max int `json:"max"`
}

// Variant is how much of an artifact is shown.
type Variant string

// The variants.
const (
	Summary Variant = "summary"
	Full    Variant = "full"
	// Named is what the reader has already, and Passages are what bears on its part of
	// the work: no view asks for them.
	Named    Variant = "named"
	Passages Variant = "passages"
)

// ModuleRule says how far a role looks (C23).
type ModuleRule string

// The module rules.
const (
	OneModule    ModuleRule = "one"   // the task's module, always
	CrossModules ModuleRule = "cross" // several, where the task is cross-cutting
)

// Weights are the factors of the parts of a Score.
type Weights struct {
	Pinned     float64 `json:"pinned"`
	Links      float64 `json:"links"`
	Tags       float64 `json:"tags"`
	Recency    float64 `json:"recency"`
	Lexical    float64 `json:"lexical"`
	Semantic   float64 `json:"semantic"`
	Neighbours float64 `json:"neighbours"`
}

// Bullets say which lessons of the playbook are received.
type Bullets struct {
	Stages []playbook.Stage `json:"stages"`
	Max    int              `json:"max"`
	// Domains keeps to these; empty: every domain the caller gives.
	Domains []playbook.Domain `json:"domains"`
	// Floor is how near in meaning to the work, as a cosine, a lesson must be that
	// shares no telling word with it. What could not be compared is received all
	// the same.
	Floor float64 `json:"floor"`
}

// LessonFloor is the floor of a view that says nothing else. By the built-in
// model two texts of one field that have nothing to do with each other are at
// .50 in the median, of different fields at .35; what answers a question is at
// .60 from it.
const LessonFloor = 0.55

// Rule gives what the view says about a type, and whether it receives it.
func (v View) Rule(t brenner.TypeName) (TypeRule, bool) {
	for _, r := range v.Types {
		if r.Type == t {
			return r, true
		}
	}
	return TypeRule{}, false
}

// aQuarter stands for a reserve that the author left open.
const aQuarter = math.MinInt

// defaults is what a view says where its author said nothing.
func defaults() View {
	return View{
		Types:   []TypeRule{},
		Budget:  Budget{Unit: InTokens, Size: 16_000, Reserve: 4_000, Family: Claude},
		Modules: OneModule,
		// What the words say leads; the summary's meaning and its age settle what
		// words leave open, and links of an input bring it near the best (ADR 88); what
		// was written beside what fits counts half (ADR 102).
		Weights: Weights{Pinned: 20, Links: 10, Tags: 3, Recency: 1, Lexical: 20, Semantic: 10, Neighbours: 10},
		Bullets: Bullets{Stages: []playbook.Stage{playbook.Prod}, Max: 12, Domains: []playbook.Domain{}, Floor: LessonFloor},

		Overview: Full, Pinned: Full,
	}
}

// Parse reads a view of a role; the role may stand in it too, and must if none
// is given. What is absent has a default: 16,000 tokens of Claude's, a quarter
// of them for later reads, one module, lessons in PROD, summaries of at most 8
// of a type. Known lists the types in force.
//
// It reports INVALID_JSON with the pointer, or INVALID_VIEW with the pointer of
// the first finding and a Diagnostic for each.
func Parse(role brenner.Role, raw jsontext.Value, known []artifact.Type) (View, error) {
	v := defaults()
	v.Budget.Reserve, v.Budget.Family = aQuarter, ""
	if err := canon.Unmarshal(raw, &v); err != nil {
		return View{}, err
	}
	v.fill(role)
	c := checker{known: known}
	c.view(v, role)
	return v, c.refusal()
}

// fill gives what is absent its default, so that a view prints back as it was
// parsed.
func (v *View) fill(role brenner.Role) {
	if v.Role == "" {
		v.Role = role
	}
	if v.Budget.Reserve == aQuarter {
		v.Budget.Reserve = v.Budget.Size / 4
	}
	if v.Budget.Family == "" && v.Budget.Unit == InTokens {
		v.Budget.Family = Claude
	}
	for i := range v.Types {
		r := &v.Types[i]
		if r.Variant == "" {
			r.Variant = Summary
		}
		if r.Max == 0 {
			r.Max = 8
		}
	}
	if v.Types == nil {
		v.Types = []TypeRule{}
	}
	if v.Bullets.Stages == nil {
		v.Bullets.Stages = []playbook.Stage{}
	}
	if v.Bullets.Domains == nil {
		v.Bullets.Domains = []playbook.Domain{}
	}
}

// checker collects what is wrong with a view.
type checker struct {
	known []artifact.Type
	found []brenner.Diagnostic
}

func (c *checker) report(pointer, hint, message string) {
	c.found = append(c.found, brenner.Diagnostic{
		Code: brenner.CodeInvalidView, Severity: brenner.SeverityError,
		Message: message, Hint: hint, Pointer: pointer,
	})
}

func (c *checker) refusal() error {
	if len(c.found) == 0 {
		return nil
	}
	first := c.found[0]
	return brenner.Errorf(brenner.CodeInvalidView, "%s", first.Message).At(first.Pointer).WithHint(first.Hint).
		WithDiagnostics(c.found)
}

func (c *checker) view(v View, role brenner.Role) {
	if v.Role.Check() != nil {
		c.report("/role", "name the role the view is for", "the view names no valid role")
	} else if role != "" && v.Role != role {
		c.report("/role", "leave it out, or write "+string(role), "the view of "+string(role)+" names another role")
	}
	if len(v.Types) == 0 {
		c.report("/types", `list what the role receives: [{"type": "integrated_memo", "variant": "full", "max": 5}]`, "the view receives no type")
	}
	for i, r := range v.Types {
		c.rule(v.Types[:i], r, "/types/"+strconv.Itoa(i))
	}
	c.budget(v.Budget)
	if v.Modules != OneModule && v.Modules != CrossModules {
		c.report("/modules", "use one or cross", "unknown rule for modules")
	}
	c.weights(v.Weights)
	c.bullets(v.Bullets)
	c.variant("/overview", v.Overview)
	c.variant("/pinned", v.Pinned)
}

func (c *checker) rule(before []TypeRule, r TypeRule, pointer string) {
	i := slices.IndexFunc(c.known, func(t artifact.Type) bool { return t.Name == r.Type })
	switch {
	case i < 0:
		c.report(pointer+"/type", "the types are "+strings.Join(c.contextual(), ", "), "no type "+strconv.Quote(brenner.Clip(string(r.Type), brenner.MaxQuote)))
	case !c.known[i].Contextual:
		c.report(pointer+"/type", "leave it out; an agent that may read one asks for it by id", "a "+string(r.Type)+" never enters a context")
	case slices.ContainsFunc(before, func(o TypeRule) bool { return o.Type == r.Type }):
		c.report(pointer+"/type", "give each type one rule", "the type "+string(r.Type)+" has two rules")
	}
	c.variant(pointer+"/variant", r.Variant)
	c.within(pointer+"/max", r.Max, 1, brenner.MaxCandidates)
}

// contextual lists the types a view can name.
func (c *checker) contextual() []string {
	var names []string
	for _, t := range c.known {
		if t.Contextual {
			names = append(names, string(t.Name))
		}
	}
	return names
}

func (c *checker) variant(pointer string, v Variant) {
	if v != Summary && v != Full {
		c.report(pointer, "use summary or full", "unknown variant "+strconv.Quote(brenner.Clip(string(v), brenner.MaxQuote)))
	}
}

func (c *checker) within(pointer string, n, least, most int) {
	if n < least || n > most {
		c.report(pointer, "it must be from "+strconv.Itoa(least)+" to "+strconv.Itoa(most), strconv.Itoa(n)+" is out of bounds")
	}
}

func (c *checker) budget(b Budget) {
	c.within("/budget/size", b.Size, 1, brenner.MaxContextSize)
	if b.Reserve < 0 || b.Reserve >= b.Size {
		c.report("/budget/reserve", "it is the part of size that is kept for later reads", "the reserve is not from 0 to below the size")
	}
	switch b.Unit {
	case InBytes:
		if b.Family != "" {
			c.report("/budget/family", "leave it out, or use the unit tokens", "bytes are the same for every model family")
		}
	case InTokens:
		if !slices.Contains(Families(), b.Family) {
			c.report("/budget/family", "use gpt, gpt4, claude or gemini", "unknown model family "+strconv.Quote(brenner.Clip(string(b.Family), brenner.MaxQuote)))
		}
	default:
		c.report("/budget/unit", "use bytes or tokens", "unknown unit "+strconv.Quote(brenner.Clip(string(b.Unit), brenner.MaxQuote)))
	}
}

// maxWeight keeps scores within what six decimals of a float can tell apart.
const maxWeight = 1000

func (c *checker) weights(w Weights) {
	for _, x := range []struct {
		name  string
		value float64
	}{
		{"pinned", w.Pinned},
		{"links", w.Links},
		{"tags", w.Tags},
		{"recency", w.Recency},
		{"lexical", w.Lexical},
		{"semantic", w.Semantic},
		{"neighbours", w.Neighbours},
	} {
		if x.value < 0 || x.value > maxWeight {
			c.report("/weights/"+x.name, "use a number from 0 to 1000", "the weight of "+x.name+" is out of bounds")
		}
	}
}

func (c *checker) bullets(b Bullets) {
	c.within("/bullets/max", b.Max, 0, brenner.MaxCandidates)
	if b.Floor < -1 || b.Floor > 1 {
		c.report("/bullets/floor", "it is a cosine: -1 receives every lesson", "the floor is not from -1 to 1")
	}
	for i, s := range b.Stages {
		if s != playbook.Prod && s != playbook.Staging && s != playbook.Shadow {
			c.report("/bullets/stages/"+strconv.Itoa(i), "use PROD, STAGING or SHADOW", "bullets in "+strconv.Quote(brenner.Clip(string(s), brenner.MaxQuote))+" never enter a context")
		}
	}
	for i, d := range b.Domains {
		if err := d.Check(); err != nil {
			c.report("/bullets/domains/"+strconv.Itoa(i), "use lower-case letters, digits and hyphens", strconv.Quote(brenner.Clip(string(d), brenner.MaxQuote))+" is not a domain")
		}
	}
}
