package app

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"brenner"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/canon"
	"brenner/config"
	"brenner/internal/store"
	"brenner/policy"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	file     string // that the configuration was read from
	types    *artifact.Registry
	modules  []brenner.Module // declared, in order
	policies map[brenner.Role]policy.Policy
	views    map[brenner.Role]viewInForce
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
	s := &settings{
		config: c, digest: digest, types: types,
		policies: map[brenner.Role]policy.Policy{}, views: map[brenner.Role]viewInForce{},
	}
	for _, m := range c.Modules {
		s.modules = append(s.modules, m.Name)
	}
	if len(s.modules) == 0 {
		s.modules = []brenner.Module{defaultModule}
	}
	for _, p := range policy.Builtin() {
		s.policies[p.Role] = p
	}
	for _, v := range assembly.Builtin() {
		s.views[v.Role] = viewInForce{View: v, Version: "builtin"}
	}
	return s, s.configured()
}

// configured puts the policies and views of the configuration in force.
func (s *settings) configured() error {
	for role, raw := range s.config.Policies {
		p, err := policy.Parse(withRole(raw, role))
		if err != nil {
			return at(err, "/policies/"+string(role))
		}
		s.policies[role] = p
	}
	for role, raw := range s.config.Views {
		v, err := assembly.Parse(role, raw, s.types.Types())
		if err != nil {
			return at(err, "/views/"+string(role))
		}
		s.views[role] = viewInForce{View: v, Version: "config:" + string(s.digest)}
	}
	return nil
}

// withRole says in a policy whose it is, as the configuration says by the key.
func withRole(raw jsontext.Value, role brenner.Role) jsontext.Value {
	var members map[string]jsontext.Value
	if json.Unmarshal(raw, &members) != nil || members["role"] != nil {
		return raw
	}
	members["role"] = canon.MustMarshal(role)
	return canon.MustMarshal(members)
}

// at says where in the configuration an objection belongs.
func at(err error, pointer string) error {
	var e *brenner.Error
	if errors.As(err, &e) {
		e.Pointer = pointer + e.Pointer
	}
	return err
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

// governing are the types whose canonical artifacts say who may do what and
// who sees what.
var governing = []brenner.TypeName{artifact.TypeRolePolicy, artifact.TypeContextView}

// basis is what settings follow from: the configuration applied last and the
// canonical policies and views.
type basis struct {
	config []byte
	rules  []rule
}

type rule struct {
	typ     brenner.TypeName
	ref     brenner.Ref
	content brenner.Digest
}

func (b basis) equal(o basis) bool {
	return bytes.Equal(b.config, o.config) && slices.Equal(b.rules, o.rules)
}

func readBasis(ctx context.Context, r store.Reader) (basis, error) {
	var b basis
	obj, err := r.Object(ctx, objectConfig, configCurrent)
	if err != nil && brenner.CodeOf(err) != brenner.CodeNotFound {
		return b, err
	}
	b.config = obj.Body
	rows, err := r.Artifacts(ctx, store.ArtifactQuery{Types: governing, Canonical: true, Limit: brenner.MaxPage})
	if err != nil {
		return b, err
	}
	for _, a := range rows {
		v, err := r.Version(ctx, brenner.Ref{Artifact: a.ID, Version: a.Canonical})
		if err != nil {
			return b, err
		}
		b.rules = append(b.rules, rule{typ: a.Type, ref: v.Ref(), content: v.Content})
	}
	return b, nil
}

// settingsCache keeps the last settings, because compiling schemas costs more
// than most requests.
type settingsCache struct {
	mu   sync.Mutex
	from basis
	last *settings
}

func (c *settingsCache) load(ctx context.Context, r store.Reader) (*settings, error) {
	from, err := readBasis(ctx, r)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil && c.from.equal(from) {
		return c.last, nil
	}
	inForce := configApplied{Config: config.Default()}
	if from.config != nil {
		if err := json.Unmarshal(from.config, &inForce); err != nil {
			return nil, err
		}
	}
	s, err := newSettings(inForce.Config, inForce.Digest)
	if err != nil {
		return nil, err
	}
	s.file = inForce.File
	for _, rule := range from.rules {
		data, err := r.Blob(ctx, rule.content)
		if err != nil {
			return nil, err
		}
		s.govern(rule, data)
	}
	c.from, c.last = from, s
	return s, nil
}

// govern puts a canonical policy or view in force. Both were checked when they
// were written; one that no longer holds (a type it names is gone) must not
// lock the project: such a policy allows its role nothing, such a view gives
// way to the one before.
func (s *settings) govern(r rule, data []byte) {
	switch r.typ {
	case artifact.TypeRolePolicy:
		p, err := policy.Parse(data)
		if err != nil {
			_ = json.Unmarshal(data, &p)
			p = policy.Policy{Role: p.Role}
		}
		s.policies[p.Role] = p
	case artifact.TypeContextView:
		if v, err := assembly.Parse("", data, s.types.Types()); err == nil {
			s.views[v.Role] = viewInForce{View: v, Version: r.ref.String()}
		}
	}
}

// checkGoverning refuses a policy or a view that could not be put in force.
func (s *settings) checkGoverning(t brenner.TypeName, c artifact.Content) (err error) {
	switch t {
	case artifact.TypeRolePolicy:
		_, err = policy.Parse(c.Data)
	case artifact.TypeContextView:
		_, err = assembly.Parse("", c.Data, s.types.Types())
	}
	return err
}

// viewInForce is a view and what it comes from: a context_view ID@VERSION, the
// configuration, or the program.
type viewInForce struct {
	assembly.View
	Version string
}

// known remembers, for one journal position, who the actors are and what is in
// force, so that a request need not read it again. It holds only what was
// committed: a position is learnt from a snapshot, or from a write that came
// through.
type known struct {
	mu       sync.Mutex
	size     int64
	settings *settings
	actors   map[brenner.ActorName]store.Actor
}

func (k *known) at(size int64, name brenner.ActorName) (store.Actor, *settings, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.settings == nil || k.size != size {
		return store.Actor{}, nil, false
	}
	a, ok := k.actors[name]
	return a, k.settings, ok
}

// learn keeps what a request that came through has read at a position.
func (k *known) learn(size int64, a store.Actor, s *settings) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if size < k.size {
		return
	}
	if size > k.size || k.actors == nil {
		k.size, k.actors = size, map[brenner.ActorName]store.Actor{}
	}
	k.settings = s
	k.actors[a.Name] = a
}

// advance carries what is known over a write that touched neither actors nor
// anything that governs.
func (k *known) advance(from, to int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.size == from {
		k.size = to
	}
}
