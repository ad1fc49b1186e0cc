package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/automation"
	"brenner/canon"
	"brenner/roster"

	"github.com/go-json-experiment/json/jsontext"
)

// settle fills in what a file may leave out, and brings JSON that is kept as it
// is into canonical form.
func (c *Config) settle() {
	for i := range c.Types {
		t := &c.Types[i]
		switch {
		case t.Format == "" && t.Schema != nil:
			t.Format = "json"
		case t.Format == "":
			t.Format = "any"
		}
		t.Schema = canonical(t.Schema)
	}
	for _, perRole := range []map[brenner.Role]jsontext.Value{c.Policies, c.Views} {
		for role, v := range perRole { // order-free: each value for itself
			perRole[role] = canonical(v)
		}
	}
}

// canonical cannot fail: what it gets was decoded.
func canonical(v jsontext.Value) jsontext.Value {
	if v == nil {
		return nil
	}
	out, err := canon.Transform(v)
	if err != nil {
		panic(err)
	}
	return out
}

// check reports every value that its field does not allow, by JSON pointer, and
// whether the name of the member there is meant.
func (c *Config) check(x index, report func(name bool, d brenner.Diagnostic)) {
	say := func(at, message, hint string) {
		report(false, brenner.Diagnostic{Pointer: at, Message: message, Hint: hint})
	}
	sayName := func(at, message, hint string) {
		report(true, brenner.Diagnostic{Pointer: at, Message: message, Hint: hint})
	}
	c.checkModules(say)
	c.checkTypes(say)
	for _, d := range roster.ValidateSettings(c.Roster) {
		d.Pointer = "/roster" + d.Pointer
		report(false, d)
	}
	c.checkPrompts(say, sayName)
	for i, name := range c.Priority {
		at := "/priority/" + strconv.Itoa(i)
		sayError(say, at, name.Check())
		if slices.Contains(c.Priority[:i], name) {
			say(at, fmt.Sprintf("%q is listed twice", name), "")
		}
	}
	if c.Compile != "" {
		sayError(say, "/compile", c.Compile.Check())
	}
	if c.Storage < -1 {
		say("/storage_per_actor", fmt.Sprintf("%d is not a number of bytes", c.Storage), "-1 is no bound")
	}
	if n := c.CompressionThreshold; n < 1 || n > 1_000_000 {
		say("/compression_threshold", fmt.Sprintf("%d is not a whole number from 1 to 1000000", n), "")
	}
	for _, role := range slices.Sorted(maps.Keys(c.Policies)) {
		sayError(sayName, "/policies/"+escape(role), role.Check())
	}
	for _, role := range slices.Sorted(maps.Keys(c.Views)) {
		sayError(sayName, "/views/"+escape(role), role.Check())
	}
	c.checkPrograms(say, sayName)
	c.checkBudget(x, say)
	c.Notify.check(say)
	c.checkApprovals(say, sayName)
	c.Playbook.check(say)
	for _, d := range automation.Check(c.Automation) {
		d.Pointer = "/automation" + d.Pointer
		report(false, d)
	}
}

// sayer takes a finding: where, what and what to do.
type sayer func(at, message, hint string)

// sayError reports the refusal of a value by its own type.
func sayError(say sayer, at string, err error) {
	var e *brenner.Error
	if errors.As(err, &e) {
		say(at, e.Message, e.Hint)
	}
}

func (c *Config) checkModules(say sayer) {
	for i, m := range c.Modules {
		at := "/modules/" + strconv.Itoa(i)
		sayError(say, at, m.Name.Check())
		if slices.ContainsFunc(c.Modules[:i], func(o Module) bool { return o.Name == m.Name }) {
			say(at, fmt.Sprintf("module %q is declared twice", m.Name), "")
		}
	}
}

func (c *Config) checkTypes(say sayer) {
	for i, t := range c.Types {
		at := "/types/" + strconv.Itoa(i)
		sayError(say, at, t.Name.Check())
		if slices.ContainsFunc(c.Types[:i], func(o Type) bool { return o.Name == t.Name }) {
			say(at, fmt.Sprintf("type %q is defined twice", t.Name), "")
		}
		oneOf(say, at+"/singleton", t.Singleton, "project", "module", "")
		oneOf(say, at+"/format", t.Format, "json", "text", "any")
		switch {
		case t.Schema == nil:
		case t.Schema.Kind() != '{':
			say(at+"/schema", canon.Kind(t.Schema.Kind().String())+" where an object was expected", "")
		case t.Format == "text":
			say(at, "a text type has no schema", `use format "json" or drop the schema`)
		}
	}
}

func oneOf(say sayer, at, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		say(at, fmt.Sprintf("%q is not one of the values", brenner.Clip(value, 60)), fmt.Sprintf("use one of %q", allowed))
	}
}

func (c *Config) checkPrompts(say, sayName sayer) {
	for _, name := range slices.Sorted(maps.Keys(c.Prompts)) {
		at, p := "/prompts/"+escape(name), c.Prompts[name]
		blank := strings.TrimSpace(p.Text) == ""
		switch {
		case !slices.Contains(roster.PromptNames(), name):
			sayName(at, fmt.Sprintf("unknown key %q", brenner.Clip(name, 60)), suggest(name, roster.PromptNames()))
		case (p.Path == "") == blank:
			say(at, "a prompt is a path or a text", "write a file name, or {text: …}")
		case len(p.Text) > brenner.MaxPromptBytes:
			say(at, fmt.Sprintf("the prompt is longer than %d bytes", brenner.MaxPromptBytes), "")
		case p.Path != "" && !fs.ValidPath(p.Path):
			say(at, fmt.Sprintf("%q is not a path inside the project", brenner.Clip(p.Path, 60)), "give it relative to the configuration file, with slashes")
		}
	}
}

func (p Playbook) check(say sayer) {
	if p.Threshold <= 0 || p.Threshold > 1 {
		say("/playbook/threshold", "the threshold is outside (0,1]", "0.8 suits the built-in model")
	}
	e, at := p.Embedding, "/playbook/embedding"
	oneOf(say, at+"/provider", e.Provider, ProviderBuiltin, ProviderOpenAI)
	u, err := url.Parse(e.URL)
	switch {
	case e.Provider == ProviderBuiltin && (e.URL != "" || e.Model != ""):
		say(at, "the built-in model has no url and no model", `use provider "openai", or drop them`)
	case e.Provider == ProviderOpenAI && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		say(at, "the provider needs an http or https url", `for example "http://127.0.0.1:11434/v1"`)
	case e.Provider == ProviderOpenAI && e.Model == "":
		say(at, "the provider needs the name of a model", "")
	}
}

// escape writes a key as a token of a JSON pointer.
func escape[T ~string](key T) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(string(key))
}
