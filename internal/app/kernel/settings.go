package kernel

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

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

// ProjectModule is where artifacts about the project as a whole live. It is
// always there and needs no memo.
const ProjectModule brenner.Module = "project"

// DefaultModule is the only module of a project that declares none.
const DefaultModule brenner.Module = "main"

// Settings are what is in force: types, modules, policies. They follow from the
// last config.applied record alone (C4).
type Settings struct {
	Config   config.Config
	Digest   brenner.Digest // of the configuration
	File     string         // that the configuration was read from
	Types    *artifact.Registry
	Modules  []brenner.Module // declared, in order
	Policies map[brenner.Role]policy.Policy
	Views    map[brenner.Role]ViewInForce

	valid validContents
}

// Vouch notes that a content was found valid under some settings, in a plan: in
// the transaction that carries it out it is not looked at again while they are
// in force.
func (c *Call) Vouch(under *Settings, t brenner.TypeName, content artifact.Content) {
	if under != c.Settings {
		return
	}
	if c.vouched == nil {
		c.vouched = map[validContent]bool{}
	}
	c.vouched[validContent{t, content.Format, content.Digest()}] = true
}

// Validate checks a content against its type, unless somebody vouches for it.
func (c *Call) Validate(t brenner.TypeName, content artifact.Content) error {
	if len(c.vouched) > 0 && c.vouched[validContent{t, content.Format, content.Digest()}] {
		return nil
	}
	return c.Settings.Validate(t, content)
}

// Validate checks a content against its type. What was found valid once, before
// a transaction, is not looked at again in it.
func (s *Settings) Validate(t brenner.TypeName, c artifact.Content) error {
	if len(c.Data) < brenner.LargeContentBytes {
		return s.Types.Validate(t, c)
	}
	key := validContent{t, c.Format, c.Digest()}
	if s.valid.has(key) {
		return nil
	}
	err := s.Types.Validate(t, c)
	if err == nil {
		s.valid.add(key)
	}
	return err
}

// validContent is a large content that fits its type.
type validContent struct {
	typ    brenner.TypeName
	format artifact.Format
	digest brenner.Digest
}

// validContents remembers a few of them; when it is full it begins anew.
type validContents struct {
	mu    sync.Mutex
	known map[validContent]bool
}

func (v *validContents) has(c validContent) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.known[c]
}

func (v *validContents) add(c validContent) {
	v.mu.Lock()
	defer v.mu.Unlock()
	const most = 256
	if v.known == nil || len(v.known) >= most {
		v.known = map[validContent]bool{}
	}
	v.known[c] = true
}

// schemas has a function for each built-in type that compiles its schema once.
var schemas sync.Map

func compiledOnce(t artifact.Type) (*artifact.Schema, error) {
	once, _ := schemas.LoadOrStore(t.Name, sync.OnceValues(t.Compile))
	return once.(func() (*artifact.Schema, error))()
}

// NewSettings checks a configuration as a whole.
func NewSettings(c config.Config, digest brenner.Digest) (*Settings, error) {
	extra := make([]artifact.Type, 0, len(c.Types))
	for _, t := range c.Types {
		extra = append(extra, artifactType(t))
	}
	types, err := artifact.NewRegistry(extra)
	if err != nil {
		return nil, err
	}
	s := &Settings{
		Config: c, Digest: digest, Types: types.Remembering(compiledOnce),
		Policies: map[brenner.Role]policy.Policy{}, Views: map[brenner.Role]ViewInForce{},
	}
	for _, m := range c.Modules {
		s.Modules = append(s.Modules, m.Name)
	}
	if len(s.Modules) == 0 {
		s.Modules = []brenner.Module{DefaultModule}
	}
	for _, p := range policy.Builtin() {
		s.Policies[p.Role] = p
	}
	for _, v := range assembly.Builtin() {
		s.Views[v.Role] = ViewInForce{View: v, Version: BuiltinView}
	}
	return s, s.configured()
}

// configured puts the policies and views of the configuration in force.
func (s *Settings) configured() error {
	for _, role := range slices.Sorted(maps.Keys(s.Config.Policies)) {
		raw, at := s.Config.Policies[role], "/policies/"+string(role)
		if err := isObject(raw); err != nil {
			return pointTo(err, at)
		}
		p, err := policy.Parse(withRole(raw, role))
		if err != nil {
			return pointTo(err, at)
		}
		s.Policies[role] = p
	}
	for _, role := range slices.Sorted(maps.Keys(s.Config.Views)) {
		raw := s.Config.Views[role]
		if err := isObject(raw); err != nil {
			return pointTo(err, "/views/"+string(role))
		}
		v, err := assembly.Parse(role, raw, s.Types.Types())
		if err != nil {
			return pointTo(err, "/views/"+string(role))
		}
		s.Views[role] = ViewInForce{View: v, Version: "config:" + string(s.Digest)}
	}
	return nil
}

// isObject refuses a value of another kind, such as the null that a key without
// a value is in YAML.
func isObject(raw jsontext.Value) error {
	if raw.Kind() == '{' {
		return nil
	}
	return brenner.Errorf(brenner.CodeInvalidConfig, "%s where an object was expected", canon.Kind(raw.Kind().String())).
		WithHint("write its members, or leave the role out: what is built in then holds")
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

// pointTo says where in the configuration an objection belongs.
func pointTo(err error, pointer string) error {
	var e *brenner.Error
	if errors.As(err, &e) {
		return e.At(pointer + e.Pointer)
	}
	return err
}

func artifactType(t config.Type) artifact.Type {
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

// ModuleFor gives the module an artifact of a type goes into: the one asked for,
// or the obvious one.
func (s *Settings) ModuleFor(asked brenner.Module, t artifact.Type) (brenner.Module, error) {
	switch {
	case asked == "" && t.Singleton == artifact.PerProject:
		return ProjectModule, nil
	case asked == "" && len(s.Modules) == 1:
		return s.Modules[0], nil
	case asked == ProjectModule || slices.Contains(s.Modules, asked):
		return asked, nil
	}
	if asked == "" {
		return "", brenner.Errorf(brenner.CodeUnknownModule, "it has to be said which module this belongs to").At("/module").
			WithHint("name one: " + Join(append(slices.Clone(s.Modules), ProjectModule))).Try(brenner.Again().Asking("module"))
	}
	return "", s.UnknownModule(asked)
}

// UnknownModule refuses a module that is not declared, with the nearest name.
func (s *Settings) UnknownModule(asked brenner.Module) error {
	known := append(slices.Clone(s.Modules), ProjectModule)
	hint, retry := "modules in force: "+Join(known)+"; the PI declares more in the configuration", brenner.Again().Asking("module")
	if near := brenner.Nearest(string(asked), Strings(known)); near != "" {
		hint, retry = "did you mean "+near+"? "+hint, brenner.Again("module", near)
	}
	return brenner.Errorf(brenner.CodeUnknownModule, "no module %q is declared", asked).WithHint(hint).Try(retry)
}

// KnownModules refuses a choice of modules of which one is neither declared nor has
// anything: what is mistyped is not empty.
func (c *Call) KnownModules(asked []brenner.Module) error {
	for _, m := range asked {
		if m == ProjectModule || slices.Contains(c.Modules, m) {
			continue
		}
		kinds, err := c.Reader.Kinds(c.Ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(kinds, func(k store.Kind) bool { return k.Module == m }) {
			return c.UnknownModule(m)
		}
	}
	return nil
}

// KnownActor refuses a name to look for that nobody here has or had.
func (c *Call) KnownActor(name brenner.ActorName, at string) error {
	if name == "" || name == System {
		return nil
	}
	_, err := c.Reader.Actor(c.Ctx, name)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		actors, err := c.Actors(c.Ctx)
		if err != nil {
			return err
		}
		known := make([]string, len(actors))
		for i, a := range actors {
			known[i] = string(a.Name)
		}
		return NoSuch("actor", string(name), at, known).Try(brenner.Do("agent.list"))
	}
	return err
}

// NoSuch refuses a name that nothing has, with the nearest that something has.
func NoSuch(what, name, at string, known []string) *brenner.Error {
	err := brenner.Errorf(brenner.CodeNotFound, "there is no %s %q", what, brenner.Clip(name, 60)).At(at)
	if near := brenner.Nearest(name, known); near != "" {
		return err.WithHint("did you mean " + near + "?")
	}
	return err
}

// KnownRole refuses a role that has no policy.
func (s *Settings) KnownRole(role brenner.Role) error {
	if _, ok := s.Policies[role]; ok {
		return nil
	}
	return brenner.Errorf(brenner.CodeUnknownRole, "no role %q has a policy", brenner.Clip(string(role), 60)).At("/role").
		WithHint("roles: " + Join(slices.Sorted(maps.Keys(s.Policies))))
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
	gone    bool // the content was redacted
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
		_, err = r.Blob(ctx, v.Content)
		gone := errors.Is(err, brenner.CodeRedacted)
		if err != nil && !gone {
			return b, err
		}
		b.rules = append(b.rules, rule{typ: a.Type, ref: v.Ref(), content: v.Content, gone: gone})
	}
	return b, nil
}

// settingsCache keeps the last settings, because compiling schemas costs more
// than most requests.
type settingsCache struct {
	mu   sync.Mutex
	from basis
	last *Settings
}

func (c *settingsCache) load(ctx context.Context, r store.Reader) (*Settings, error) {
	from, err := readBasis(ctx, r)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil && c.from.equal(from) {
		return c.last, nil
	}
	inForce := Configuration{Config: config.Default()}
	if from.config != nil {
		if err := json.Unmarshal(from.config, &inForce); err != nil {
			return nil, err
		}
	}
	s, err := NewSettings(inForce.Config, inForce.Digest)
	if err != nil {
		return nil, err
	}
	s.File = inForce.File
	for _, rule := range from.rules {
		data, err := r.Blob(ctx, rule.content)
		if rule.gone {
			if err := s.closeFor(ctx, r, rule); err != nil {
				return nil, err
			}
			continue
		}
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
func (s *Settings) govern(r rule, data []byte) {
	switch r.typ {
	case artifact.TypeRolePolicy:
		p, err := policy.Parse(data)
		if err != nil {
			_ = json.Unmarshal(data, &p)
			p = policy.Policy{Role: p.Role}
		}
		s.Policies[p.Role] = p
	case artifact.TypeContextView:
		if v, err := assembly.Parse("", data, s.Types.Types()); err == nil {
			s.Views[v.Role] = ViewInForce{View: v, Version: r.ref.String()}
		}
	}
}

// closeFor fails closed for a canonical policy whose content was redacted (J7):
// its role may do nothing until another is promoted. Which role that is other
// versions of the artifact say; if none is left, it may have been any. A view
// gives way to the one before.
func (s *Settings) closeFor(ctx context.Context, r store.Reader, gone rule) error {
	if gone.typ != artifact.TypeRolePolicy {
		return nil
	}
	role, err := RoleOfPolicy(ctx, r, gone.ref.Artifact, func(brenner.Digest) bool { return false })
	if err != nil {
		return err
	}
	if role != "" {
		s.Policies[role] = policy.Policy{Role: role}
		return nil
	}
	for role := range s.Policies {
		s.Policies[role] = policy.Policy{Role: role}
	}
	return nil
}

// RoleOfPolicy is the role that the newest version of a policy names whose content
// is there and does not go; "" if none is.
func RoleOfPolicy(ctx context.Context, r store.Reader, id brenner.ArtifactID, goes func(brenner.Digest) bool) (brenner.Role, error) {
	versions, err := r.Versions(ctx, id, 0, brenner.MaxPage)
	if err != nil {
		return "", err
	}
	for _, v := range slices.Backward(versions) {
		if goes(v.Content) {
			continue
		}
		data, err := r.Blob(ctx, v.Content)
		if errors.Is(err, brenner.CodeRedacted) {
			continue
		}
		if err != nil {
			return "", err
		}
		var p policy.Policy
		if json.Unmarshal(data, &p) == nil && p.Role != "" {
			return p.Role, nil
		}
	}
	return "", nil
}

// CheckGoverning refuses a policy or a view that could not be put in force.
func (s *Settings) CheckGoverning(t brenner.TypeName, c artifact.Content) (err error) {
	switch t {
	case artifact.TypeRolePolicy:
		_, err = policy.Parse(c.Data)
	case artifact.TypeContextView:
		_, err = assembly.Parse("", c.Data, s.Types.Types())
	}
	return err
}

// BuiltinView is the version of a view that nobody of the project has written.
const BuiltinView = "builtin"

// ViewInForce is a view and what it comes from: a context_view ID@VERSION, the
// configuration, or the program.
type ViewInForce struct {
	assembly.View
	Version string
}

// known remembers, for one journal position, who the actors are and what is in
// force, so that a request need not read it again. The kernel's holds only what
// was committed: a position is learnt from a snapshot, or from a group of writes
// that came through. Those whose writes share a transaction have one of their
// own, which knows nothing any more from the first record on that governs: none
// of them acts under what another of them has changed.
type known struct {
	mu       sync.Mutex
	size     int64
	settings *Settings
	actors   map[brenner.ActorName]store.Actor
	last     stamp
}

// stamp is the time of a record.
type stamp struct {
	seq int64
	at  time.Time
}

// stamped is the time of the record at a position, if that is remembered.
func (k *known) stamped(seq int64) (time.Time, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last.at, k.last.seq == seq
}

// stamp remembers the time of the newest record.
func (k *known) stamp(seq int64, at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = stamp{seq, at}
}

// find gives what is known of an actor at a position.
func (k *known) find(size int64, name brenner.ActorName) (store.Actor, *Settings, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.settings == nil || k.size != size {
		return store.Actor{}, nil, false
	}
	a, ok := k.actors[name]
	return a, k.settings, ok
}

// learn keeps what a request that came through has read at a position.
func (k *known) learn(size int64, a store.Actor, s *Settings) {
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

// forget knows nothing any more.
func (k *known) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.size, k.settings, k.actors = 0, nil, nil
}

// adopt takes over what a group knew at its end, once that is committed.
func (k *known) adopt(group *known) {
	group.mu.Lock()
	defer group.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if group.last.seq > k.last.seq {
		k.last = group.last
	}
	if group.settings != nil && group.size > k.size {
		k.size, k.settings, k.actors = group.size, group.settings, maps.Clone(group.actors)
	}
}

// knownIn is what is known to those whose writes share a transaction.
func knownIn(tx store.Tx) *known {
	shared := tx.Shared()
	group, ok := (*shared).(*known)
	if !ok {
		group = &known{}
		*shared = group
	}
	return group
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
