package app

import (
	"context"
	"slices"
	"sync"

	"brenner"
	"brenner/artifact"
	"brenner/config"
	"brenner/internal/store"
	"brenner/policy"

	"github.com/go-json-experiment/json"
)

// projectModule is where artifacts about the project as a whole live. It is
// always there and needs no memo.
const projectModule brenner.Module = "project"

// defaultModule is the only module of a project that declares none.
const defaultModule brenner.Module = "main"

// Where the configuration in force is kept.
const (
	objectConfig  = "config"
	configCurrent = "current"
)

// settings is what is in force: types, modules, policies. It follows from the
// last config.applied record alone (C4).
type settings struct {
	config   config.Config
	digest   brenner.Digest
	types    *artifact.Registry
	modules  []brenner.Module // declared, in order
	policies map[brenner.Role]policy.Policy
}

// newSettings checks a configuration as a whole.
func newSettings(c config.Config, digest brenner.Digest) (*settings, error) {
	extra := make([]artifact.Type, 0, len(c.Types))
	for _, t := range c.Types {
		extra = append(extra, projectType(t))
	}
	types, err := artifact.NewRegistry(extra)
	if err != nil {
		return nil, err
	}
	s := &settings{config: c, digest: digest, types: types, policies: map[brenner.Role]policy.Policy{}}
	for _, m := range c.Modules {
		s.modules = append(s.modules, m.Name)
	}
	if len(s.modules) == 0 {
		s.modules = []brenner.Module{defaultModule}
	}
	for _, p := range policy.Builtin() {
		s.policies[p.Role] = p
	}
	return s, nil
}

func projectType(t config.Type) artifact.Type {
	out := artifact.Type{
		Name: t.Name, Title: t.Title, Description: t.Description,
		Core: t.Core, Singleton: artifact.Singleton(t.Singleton), Contextual: t.Contextual,
		Schema: t.Schema,
	}
	switch t.Format {
	case "json":
		out.Formats = []artifact.Format{artifact.JSON}
	case "text":
		out.Formats = []artifact.Format{artifact.Text}
	default:
		out.Formats = []artifact.Format{artifact.JSON, artifact.Text}
	}
	return out
}

// module gives the module an artifact of a type goes into: the one asked for,
// or the obvious one.
func (s *settings) module(asked brenner.Module, t artifact.Type) (brenner.Module, error) {
	switch {
	case asked == "" && t.Singleton == artifact.PerProject:
		return projectModule, nil
	case asked == "" && len(s.modules) == 1:
		return s.modules[0], nil
	case asked == projectModule || slices.Contains(s.modules, asked):
		return asked, nil
	}
	return "", brenner.Errorf(brenner.CodeUnknownModule, "no module %q is declared", asked).
		WithHint("modules in force: " + list(append(slices.Clone(s.modules), projectModule)) +
			"; declare more in .brennerrc and run `brenner config apply`")
}

// settingsCache keeps the settings of the last configuration seen, because
// compiling schemas costs more than most requests.
type settingsCache struct {
	mu   sync.Mutex
	seq  int64
	last *settings
}

func (c *settingsCache) load(ctx context.Context, r store.Reader) (*settings, error) {
	obj, err := r.Object(ctx, objectConfig, configCurrent)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		obj, err = store.Object{}, nil
	}
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil && c.seq == obj.Seq {
		return c.last, nil
	}
	inForce := config.Default()
	digest := brenner.Digest("")
	if obj.Seq > 0 {
		var stored configApplied
		if err := json.Unmarshal(obj.Body, &stored); err != nil {
			return nil, err
		}
		inForce, digest = stored.Config, stored.Digest
	}
	s, err := newSettings(inForce, digest)
	if err != nil {
		return nil, err
	}
	c.seq, c.last = obj.Seq, s
	return s, nil
}
