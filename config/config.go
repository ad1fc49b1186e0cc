// Package config reads the configuration of a project: its modules, artifact
// types, roster, prompts, policies and views.
//
// The file is .brennerrc (YAML or JSON) or brenner.config.ts. Neither is ever
// executed: the TypeScript file is read as a data literal, YAML without
// anchors, aliases or tags. Both become the same strict Config; whatever is
// unknown, misspelt or of the wrong kind is refused with file, line and column,
// all findings together.
//
// A Config has one canonical form and hence a digest, so that what is in force
// can be journaled and compared with what the file says now.
package config

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/automation"
	"brenner/canon"
	"brenner/program"
	"brenner/roster"

	"github.com/go-json-experiment/json/jsontext"
)

// The names a project's configuration can have. A project has one of them.
const (
	RCFile = ".brennerrc"
	TSFile = "brenner.config.ts"
)

// Config is what a project says about itself. Its JSON is what Parse reads, in
// its longest spelling.
type Config struct {
	Modules []Module        `json:"modules"`
	Types   []Type          `json:"types"`
	Roster  roster.Settings `json:"roster"`
	// Prompts replaces role prompts; keys are prompt names (roster.PromptNames).
	Prompts map[string]Prompt `json:"prompts"`
	// Priority settles merges at equal instants: the first agent is the highest.
	Priority []brenner.ActorName `json:"priority"`
	// Compile says when sessions compile what agents answered: manual, answered
	// or a duration; empty: when all have answered (D27).
	Compile roster.CompileMode `json:"compile,omitempty"`
	// CompressionThreshold is how many artifacts of a module may change before
	// its memo must be renewed.
	CompressionThreshold int `json:"compression_threshold"`
	// Policies and Views are JSON per role; their packages say what is valid.
	Policies map[brenner.Role]jsontext.Value `json:"policies"`
	Views    map[brenner.Role]jsontext.Value `json:"views"`
	Playbook Playbook                        `json:"playbook"`
	// Programs are how agents are started, by the names that rosters use.
	Programs map[string]program.Program `json:"programs,omitempty"`
	// Storage is how many bytes one actor may have stored, all its writing
	// together; 0: brenner.DefaultStorage, -1: no bound (X10).
	Storage int64 `json:"storage_per_actor,omitzero"`
	// Budget bounds what runs may cost.
	Budget Budget `json:"budget,omitzero"`
	// Notify says who outside is told what waits for a person.
	Notify Notify `json:"notify,omitzero"`
	// Approvals are asked for before a version of a type is promoted (A6).
	Approvals map[brenner.TypeName]Approval `json:"approvals,omitempty"`
	// Automation adds to what happens by itself, changes it or switches it off
	// (A1, A4).
	Automation []automation.Rule `json:"automation,omitempty"`
}

// Module is a part of the project's subject matter. A bare string is its name.
type Module struct {
	Name        brenner.Module `json:"name"`
	Description string         `json:"description,omitempty"`
}

// Type is an artifact type defined by the project.
type Type struct {
	Name        brenner.TypeName `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	// Core types need a change note with every new version.
	Core bool `json:"core,omitempty"`
	// Singleton is "project", "module" or "": how many canonical ones there
	// can be.
	Singleton string `json:"singleton,omitempty"`
	// Contextual types can enter an assembled context.
	Contextual bool `json:"contextual,omitempty"`
	// Format is "json", "text" or "any"; the default is "any", or "json" where
	// there is a schema.
	Format string `json:"format"`
	// Schema is a JSON Schema (2020-12) for JSON content; absent: any JSON.
	Schema jsontext.Value `json:"schema,omitzero"`
}

// Prompt replaces a role prompt by a file or by a text; exactly one is set. A
// bare string of one line is a path, of several lines the text.
type Prompt struct {
	Path string `json:"path,omitempty"`
	Text string `json:"text,omitempty"`
}

// Playbook is how lessons are matched.
type Playbook struct {
	// Threshold is the cosine from which two lessons are the same, in (0,1].
	Threshold float64 `json:"threshold"`
	// Guard keeps lessons with other numbers or opposite negation apart.
	Guard     bool      `json:"guard"`
	Embedding Embedding `json:"embedding"`
}

// The embedding providers.
const (
	ProviderBuiltin = "builtin" // the model inside the program
	ProviderOpenAI  = "openai"  // any server that speaks OpenAI's /v1/embeddings
)

// Embedding names what turns lessons into vectors.
type Embedding struct {
	Provider string `json:"provider"`
	URL      string `json:"url,omitempty"`
	Model    string `json:"model,omitempty"`
}

// Default is the configuration of a project that has no file.
func Default() Config {
	return Config{
		CompressionThreshold: 10,
		Playbook:             Playbook{Threshold: 0.8, Guard: true, Embedding: Embedding{Provider: ProviderBuiltin}},
	}
}

// Parse reads a configuration file. The name decides how: *.ts is a data
// literal, *.json is JSON, anything else is JSON if it starts with a brace and
// YAML if not. An empty .brennerrc is the default configuration.
//
// It refuses with INVALID_CONFIG, INVALID_TEXT or LIMIT_EXCEEDED; the message,
// and Details as a Position, name file, line and column of the first finding,
// Diagnostics list all of them.
func Parse(name string, src []byte) (Config, error) {
	in := source{name: name, text: bytes.TrimPrefix(src, []byte("\ufeff"))}
	if len(src) > brenner.MaxConfigBytes {
		return Config{}, brenner.Errorf(brenner.CodeLimitExceeded, "%s is larger than %d bytes", name, brenner.MaxConfigBytes)
	}
	if err := in.checkText(); err != nil {
		return Config{}, err
	}
	doc, err := in.read()
	if err != nil {
		return Config{}, err
	}
	return in.decode(doc)
}

// Locate says of an objection to a part of a configuration that Parse has read,
// by its pointer, where that part stands in the file.
func Locate(name string, src []byte, err error) error {
	in := source{name: name, text: bytes.TrimPrefix(src, []byte("\ufeff"))}
	var e *brenner.Error
	if !errors.As(err, &e) || e.Pointer == "" {
		return err
	}
	doc, bad := in.read()
	if bad != nil {
		return err
	}
	x := doc.index(func(place, jsontext.Pointer, string, string) {})
	at, named := x.names[jsontext.Pointer(e.Pointer)]
	if !named {
		at = x.of(jsontext.Pointer(e.Pointer))
	}
	located := *e
	located.Message = in.where(at) + ": " + e.Message
	return located.WithDetails(Position{File: in.name, Line: at.line, Column: at.column})
}

// read reads the file in the form its name and first character tell.
func (in source) read() (document, error) {
	switch ext := path.Ext(in.name); {
	case ext == ".ts":
		return in.literal()
	case ext == ".json", bytes.HasPrefix(bytes.TrimLeft(in.text, " \t\r\n"), []byte("{")):
		return in.json()
	}
	return in.yaml()
}

// checkText refuses what is not UTF-8 or contains U+0000.
func (in source) checkText() error {
	t := tracker{text: in.text}
	for i := 0; i < len(in.text); {
		r, n := utf8.DecodeRune(in.text[i:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			return in.refuse(brenner.CodeInvalidText, t.at(i), "the file is not valid UTF-8 or contains U+0000")
		}
		i += n
	}
	return nil
}

// Canonical is the canonical JSON of the configuration. Parse reads it back to
// an equal Config.
func (c Config) Canonical() []byte { return canon.MustMarshal(c) }

// Digest is the digest of the canonical form: equal configurations have equal
// digests, whatever file they came from.
func (c Config) Digest() brenner.Digest { return canon.Sum(c.Canonical()) }

// PromptFiles lists the paths of the prompts that stand in files, sorted. They
// are relative to the directory of the configuration, with slashes.
func (c Config) PromptFiles() []string {
	var files []string
	for _, p := range c.Prompts { // order-free: sorted below
		if p.Path != "" {
			files = append(files, p.Path)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// WithPromptFiles gives the configuration with each prompt file replaced by
// its text, so that what is journaled stands on its own. Files that texts does
// not hold stay as they are.
func (c Config) WithPromptFiles(texts map[string]string) Config {
	prompts := map[string]Prompt{}
	for name, p := range c.Prompts { // order-free: a map into a map
		if text, ok := texts[p.Path]; ok && p.Path != "" {
			p = Prompt{Text: text}
		}
		prompts[name] = p
	}
	c.Prompts = prompts
	return c
}

// PromptTexts gives the prompts that stand in the configuration as texts.
func (c Config) PromptTexts() map[string]string {
	texts := map[string]string{}
	for name, p := range c.Prompts { // order-free: a map into a map
		if strings.TrimSpace(p.Text) != "" {
			texts[name] = p.Text
		}
	}
	return texts
}

// StoragePerActor is how many bytes one actor may have stored; 0: any number.
func (c Config) StoragePerActor() int64 {
	switch {
	case c.Storage == 0:
		return brenner.DefaultStorage
	case c.Storage < 0:
		return 0
	}
	return c.Storage
}
