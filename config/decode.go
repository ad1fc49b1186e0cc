package config

import (
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/canon"
	"brenner/roster"

	"github.com/go-json-experiment/json/jsontext"
)

// decode turns the tree into a Config, or reports everything that is wrong with
// it.
func (in source) decode(root node) (Config, error) {
	d := decoder{source: in}
	d.inspect(root, "")
	c := Default()
	if len(d.found) == 0 {
		d.config(root, &c)
	}
	if err := d.refusal(); err != nil {
		return Config{}, err
	}
	return c, nil
}

func (d *decoder) config(root node, c *Config) {
	d.object(root, "", []member{
		{"modules", func(n node, at string) { c.Modules = d.modules(n, at) }},
		{"types", func(n node, at string) { c.Types = d.types(n, at) }},
		{"roster", func(n node, at string) { c.Roster = d.roster(n, at) }},
		{"prompts", func(n node, at string) { c.Prompts = d.prompts(n, at) }},
		{"priority", func(n node, at string) { c.Priority = d.priority(n, at) }},
		{"compression_threshold", func(n node, at string) { c.CompressionThreshold = d.count(n, at) }},
		{"policies", func(n node, at string) { c.Policies = d.perRole(n, at) }},
		{"views", func(n node, at string) { c.Views = d.perRole(n, at) }},
		{"playbook", func(n node, at string) { d.playbook(n, at, &c.Playbook) }},
		{"programs", func(n node, at string) { c.Programs = d.programs(n, at) }},
		{"budget", func(n node, at string) { c.Budget = d.budget(n, at) }},
	})
}

func (d *decoder) modules(n node, at string) []Module {
	var out []Module
	d.list(n, at, func(n node, at string) {
		m := Module{Name: brenner.Module(n.text)}
		if n.kind != text {
			d.object(n, at, []member{
				{"name", func(n node, at string) { m.Name = brenner.Module(d.text(n, at)) }},
				{"description", func(n node, at string) { m.Description = d.text(n, at) }},
			})
		}
		d.check(n, at, m.Name.Check())
		if slices.ContainsFunc(out, func(o Module) bool { return o.Name == m.Name }) {
			d.report(n.at, at, fmt.Sprintf("module %q is declared twice", m.Name), "")
		}
		out = append(out, m)
	})
	return out
}

func (d *decoder) types(n node, at string) []Type {
	var out []Type
	d.list(n, at, func(n node, at string) {
		var t Type
		d.object(n, at, []member{
			{"name", func(n node, at string) { t.Name = brenner.TypeName(d.text(n, at)) }},
			{"title", func(n node, at string) { t.Title = d.text(n, at) }},
			{"description", func(n node, at string) { t.Description = d.text(n, at) }},
			{"core", func(n node, at string) { t.Core = d.bool(n, at) }},
			{"singleton", func(n node, at string) { t.Singleton = d.oneOf(n, at, "project", "module", "") }},
			{"contextual", func(n node, at string) { t.Contextual = d.bool(n, at) }},
			{"format", func(n node, at string) { t.Format = d.oneOf(n, at, "json", "text", "any") }},
			{"schema", func(n node, at string) { t.Schema = d.schema(n, at) }},
		})
		d.check(n, at, t.Name.Check())
		if slices.ContainsFunc(out, func(o Type) bool { return o.Name == t.Name }) {
			d.report(n.at, at, fmt.Sprintf("type %q is defined twice", t.Name), "")
		}
		switch {
		case t.Format == "text" && t.Schema != nil:
			d.report(n.at, at, "a text type has no schema", `use format "json" or drop the schema`)
		case t.Format == "" && t.Schema != nil:
			t.Format = "json"
		case t.Format == "":
			t.Format = "any"
		}
		out = append(out, t)
	})
	return out
}

// schema keeps a JSON Schema as it is; compiling it is its user's work.
func (d *decoder) schema(n node, at string) jsontext.Value {
	if n.kind != object {
		d.wrong(n, at, object)
		return nil
	}
	return d.raw(n, at)
}

func (d *decoder) roster(n node, at string) roster.Settings {
	var s roster.Settings
	d.object(n, at, []member{
		{"presets", func(n node, at string) { s.Presets = d.presets(n, at) }},
		{"defaultPreset", func(n node, at string) { s.DefaultPreset = d.text(n, at) }},
		{"mode", func(n node, at string) { s.Mode = roster.Mode(d.text(n, at)) }},
		{"name", func(n node, at string) { s.Name = d.text(n, at) }},
		{"createdAt", func(n node, at string) { s.CreatedAt = d.text(n, at) }},
		{"entries", func(n node, at string) {
			d.list(n, at, func(n node, at string) { s.Entries = append(s.Entries, d.entry(n, at, true)) })
		}},
	})
	for _, f := range roster.ValidateSettings(s) {
		d.add(finding{n.find(f.Pointer), brenner.Diagnostic{
			Code: f.Code, Message: f.Message, Hint: f.Hint, Pointer: at + f.Pointer,
		}})
	}
	return s
}

func (d *decoder) presets(n node, at string) []roster.Preset {
	var out []roster.Preset
	d.list(n, at, func(n node, at string) {
		var p roster.Preset
		d.object(n, at, []member{
			{"id", func(n node, at string) { p.ID = d.text(n, at) }},
			{"name", func(n node, at string) { p.Name = d.text(n, at) }},
			{"description", func(n node, at string) { p.Description = d.text(n, at) }},
			{"entries", func(n node, at string) {
				d.list(n, at, func(n node, at string) {
					e := d.entry(n, at, false)
					p.Entries = append(p.Entries, roster.Place{Role: e.Role, Program: e.Program, Model: e.Model, Notes: e.Notes})
				})
			}},
			{"placeholderNames", func(n node, at string) { p.PlaceholderNames = d.texts(n, at) }},
		})
		out = append(out, p)
	})
	return out
}

// entry reads a roster entry; that of a preset has no name.
func (d *decoder) entry(n node, at string, named bool) roster.Entry {
	var e roster.Entry
	members := []member{
		{"role", func(n node, at string) { e.Role = brenner.Role(d.text(n, at)) }},
		{"program", func(n node, at string) { e.Program = d.text(n, at) }},
		{"model", func(n node, at string) { e.Model = d.text(n, at) }},
		{"notes", func(n node, at string) { e.Notes = d.text(n, at) }},
	}
	if named {
		members = append(members, member{"agentName", func(n node, at string) { e.AgentName = brenner.ActorName(d.text(n, at)) }})
	}
	d.object(n, at, members)
	return e
}

func (d *decoder) prompts(n node, at string) map[string]Prompt {
	out := map[string]Prompt{}
	var members []member
	for _, name := range roster.PromptNames() {
		members = append(members, member{name, func(n node, at string) { out[name] = d.prompt(n, at) }})
	}
	d.object(n, at, members)
	return out
}

func (d *decoder) prompt(n node, at string) Prompt {
	var p Prompt
	switch {
	case n.kind == text && strings.Contains(n.text, "\n"):
		p.Text = n.text
	case n.kind == text:
		p.Path = n.text
	default:
		d.object(n, at, []member{
			{"path", func(n node, at string) { p.Path = d.text(n, at) }},
			{"text", func(n node, at string) { p.Text = d.text(n, at) }},
		})
	}
	blank := strings.TrimSpace(p.Text) == ""
	switch {
	case (p.Path == "") == blank:
		d.report(n.at, at, "a prompt is a path or a text", "write a file name, or {text: …}")
	case len(p.Text) > brenner.MaxPromptBytes:
		d.report(n.at, at, fmt.Sprintf("the prompt is longer than %d bytes", brenner.MaxPromptBytes), "")
	case p.Path != "" && !fs.ValidPath(p.Path):
		d.report(n.at, at, fmt.Sprintf("%q is not a path inside the project", clip(p.Path)), "give it relative to the configuration file, with slashes")
	}
	return p
}

func (d *decoder) priority(n node, at string) []brenner.ActorName {
	var out []brenner.ActorName
	d.list(n, at, func(n node, at string) {
		name := brenner.ActorName(d.text(n, at))
		d.check(n, at, name.Check())
		if slices.Contains(out, name) {
			d.report(n.at, at, fmt.Sprintf("%q is listed twice", name), "")
		}
		out = append(out, name)
	})
	return out
}

func (d *decoder) perRole(n node, at string) map[brenner.Role]jsontext.Value {
	out := map[brenner.Role]jsontext.Value{}
	if n.kind != object {
		d.wrong(n, at, object)
		return out
	}
	for _, f := range n.fields {
		role := brenner.Role(f.key)
		d.check(node{at: f.at}, at+"/"+escape(f.key), role.Check())
		out[role] = d.raw(f.value, at+"/"+escape(f.key))
	}
	return out
}

func (d *decoder) playbook(n node, at string, p *Playbook) {
	d.object(n, at, []member{
		{"threshold", func(n node, at string) {
			p.Threshold = d.float(n, at)
			if n.kind == number && (p.Threshold <= 0 || p.Threshold > 1) {
				d.report(n.at, at, "the threshold is outside (0,1]", "0.8 suits the built-in model")
			}
		}},
		{"guard", func(n node, at string) {
			if n.kind == text && (n.text == "on" || n.text == "off") {
				n = node{at: n.at, kind: boolean, truth: n.text == "on"}
			}
			p.Guard = d.bool(n, at)
		}},
		{"embedding", func(n node, at string) { p.Embedding = d.embedding(n, at) }},
	})
}

func (d *decoder) embedding(n node, at string) Embedding {
	e := Embedding{Provider: ProviderBuiltin}
	d.object(n, at, []member{
		{"provider", func(n node, at string) { e.Provider = d.oneOf(n, at, ProviderBuiltin, ProviderOpenAI) }},
		{"url", func(n node, at string) { e.URL = d.text(n, at) }},
		{"model", func(n node, at string) { e.Model = d.text(n, at) }},
	})
	u, err := url.Parse(e.URL)
	switch {
	case e.Provider == ProviderBuiltin && (e.URL != "" || e.Model != ""):
		d.report(n.at, at, "the built-in model has no url and no model", `use provider "openai", or drop them`)
	case e.Provider == ProviderOpenAI && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		d.report(n.at, at, "the provider needs an http or https url", `for example "http://127.0.0.1:11434/v1"`)
	case e.Provider == ProviderOpenAI && e.Model == "":
		d.report(n.at, at, "the provider needs the name of a model", "")
	}
	return e
}

// count reads a whole number from 1 up.
func (d *decoder) count(n node, at string) int {
	f := d.float(n, at)
	if n.kind == number && (f != math.Trunc(f) || f < 1 || f > 1_000_000) {
		d.report(n.at, at, n.text+" is not a whole number from 1 to 1000000", "")
		return 0
	}
	return int(f)
}

// inspect reports what no form may hold: a key twice in one object, and strings
// that are not text.
func (d *decoder) inspect(n node, at string) {
	if n.kind == text {
		d.inspectText(n.text, n.at, at)
	}
	for i, item := range n.items {
		d.inspect(item, at+"/"+strconv.Itoa(i))
	}
	first := map[string]place{}
	for _, f := range n.fields {
		at := at + "/" + escape(f.key)
		d.inspectText(f.key, f.at, at)
		if seen, twice := first[f.key]; twice {
			d.report(f.at, at, fmt.Sprintf("the key %q stands twice in one object", clip(f.key)),
				fmt.Sprintf("the first is at %d:%d", seen.line, seen.column))
		}
		first[f.key] = f.at
		d.inspect(f.value, at)
	}
}

func (d *decoder) inspectText(s string, where place, at string) {
	if !utf8.ValidString(s) || strings.Contains(s, "\x00") {
		d.report(where, at, "a string is not valid UTF-8 or contains U+0000", "")
	}
}

// raw keeps a value as canonical JSON.
func (d *decoder) raw(n node, at string) jsontext.Value {
	b, err := canon.Transform(n.appendJSON(nil))
	d.check(n, at, err)
	return b
}
