package app_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/internal/answers"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/policy"
)

// moment is a story where it stood before one of its questions. A story that is
// over has its tasks done, its sessions closed and its contexts spent; midway they
// are open.
type moment struct {
	store store.Store
	now   time.Time
	next  int // the question that comes then
}

// at keeps what a story asked, and the moment after it.
func (in *transcript) at(a asked) {
	if in.look == nil {
		return // it is over
	}
	in.story = append(in.story, a)
	s, now := in.look()
	in.moments = append(in.moments, moment{s, now, len(in.story)})
}

// mostMoments is in how many moments of a story something else happens.
const mostMoments = 4

// fates are what may happen midway, each to a project of its own that is as the
// story's was then. What is asked and answered afterwards, and stored at the end,
// is kept.
var fates = []struct {
	name string
	come func(m midway, t *testing.T)
}{
	{"it is asked otherwise", midway.asksOtherwise},
	{"others ask", midway.letsOthersAsk},
	{"it is asked twice", midway.asksTwice},
	{"a text is redacted", midway.redacts},
	{"much happens by itself", midway.automates},
	{"a day goes by", midway.waits},
	{"roles may do less", midway.narrows},
	{"there is little room", midway.stints},
	{"the store is away", midway.fails},
}

// midway is a project that goes on otherwise than its story.
type midway struct {
	notedWorld
	moment
	store *absent
	draw  func(what string, n int) int // a number below n, always the same
	asks  []asked                      // all of the story
	ctx   context.Context
}

// midway lets something else happen in some moments of a story that is over, and
// compares what is said then with what is kept.
func (w notedWorld) midway(t *testing.T, story string) {
	if testing.Short() {
		return
	}
	draw := func(what string, n int) int {
		h := fnv.New32a()
		fmt.Fprintf(h, "%s|%s", story, what)
		return int(h.Sum32()>>3) % n
	}
	some := slices.Clone(w.in.moments)
	slices.SortStableFunc(some, func(a, b moment) int {
		of := func(m moment) int { return draw(fmt.Sprint("moment ", m.next), 1<<20) }
		return cmp.Compare(of(a), of(b))
	})
	all := newTranscript()
	for i, at := range some[:min(mostMoments, len(some))] {
		fate := fates[(i+draw("fate", len(fates)))%len(fates)]
		m := w.from(at)
		m.draw = func(what string, n int) int { return draw(fmt.Sprintf("%d %s", at.next, what), n) }
		fmt.Fprintf(&m.in.text, "before question %d: %s\n", at.next, fate.name)
		fate.come(m, t)
		m.in.state(t, m.moment.store)
		all.text.WriteString(m.in.String())
		all.calls += m.in.calls
		for code, n := range m.in.refused {
			all.refused[code] += n
		}
	}
	all.keep(t, "testdata/midway.golden", story, all.calls)
}

// from is a project as it was at a moment.
func (w notedWorld) from(at moment) midway {
	s := &absent{Store: at.store, after: never}
	clock, pass := steppingFrom(at.now, time.Millisecond)
	a := app.New(s, app.Options{Clock: clock, Keys: w.keys, Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil }})
	return midway{notedWorld{world{app: a, pi: w.pi}, newTranscript(), pass, w.keys}, at, s, nil, w.in.story, context.Background()}
}

// ask asks a question of the story.
func (m midway) ask(a asked) {
	a.by = m.who(a.by.who)
	a.again()
}

func (m midway) who(name brenner.ActorName) noted {
	if name == m.pi {
		return m.PI().(noted)
	}
	return m.As(name).(noted)
}

// coming are the next questions of the story, and if there are fewer the last
// ones.
func (m midway) coming(n int) []asked {
	end := min(m.next+n, len(m.asks))
	return m.asks[max(0, end-n):end]
}

// before are the last questions that were asked.
func (m midway) before(n int) []asked { return m.asks[max(0, m.next-n):m.next] }

func (m midway) asksOtherwise(*testing.T) {
	pool := map[reflect.Type][]reflect.Value{}
	for _, a := range m.asks {
		if a.req != nil {
			gather(pool, reflect.ValueOf(a.req))
		}
	}
	for i, a := range m.coming(4) {
		var ways []func() asked
		a.by = m.who(a.by.who)
		a.vary(pool, nil, func(_ string, otherwise func() asked) { ways = append(ways, otherwise) })
		for n := range min(8, len(ways)) {
			ways[m.draw(fmt.Sprint("way ", i, n), len(ways))]().again()
		}
		m.ask(a)
	}
}

func (m midway) letsOthersAsk(*testing.T) {
	for _, a := range m.coming(3) {
		for name := range inOrder(apitest.Agents) {
			m.ask(asked{noted{who: name}, a.name, a.req})
		}
		m.ask(asked{noted{who: m.pi}, a.name, a.req})
	}
}

// asksTwice rehearses what writes, does it under a key, and once more.
func (m midway) asksTwice(*testing.T) {
	for i, a := range m.coming(6) {
		if a.req == nil {
			continue
		}
		if with, ok := withField(a.req, "DryRun", reflect.ValueOf(true)); ok {
			m.ask(asked{a.by, a.name, with})
		}
		with, ok := withField(a.req, "Write", reflect.ValueOf(api.Write{Key: fmt.Sprint("twice-", i)}))
		if !ok {
			m.ask(a)
			continue
		}
		m.ask(asked{a.by, a.name, with})
		m.ask(asked{a.by, a.name, with})
	}
}

// withField is a request with another value in a field, if it has it.
func withField(req any, name string, v reflect.Value) (any, bool) {
	out := reflect.New(reflect.TypeOf(req)).Elem()
	out.Set(reflect.ValueOf(req))
	f := out.FieldByName(name)
	if !f.IsValid() || f.Type() != v.Type() {
		return nil, false
	}
	f.Set(v)
	return out.Interface(), true
}

// redacts takes a text away, of those that somebody read before.
func (m midway) redacts(t *testing.T) {
	known := append(slices.Clone(m.before(5)), m.coming(3)...)
	for _, a := range m.before(5) {
		m.ask(a)
	}
	pi := m.PI()
	_, _ = pi.PlaybookStats(m.ctx, api.PlaybookStatsRequest{})
	for n := range 2 {
		texts := map[string]brenner.Digest{}
		err := m.store.Read(m.ctx, func(r store.Reader) error {
			return r.EachBlob(m.ctx, func(d brenner.Digest, data []byte) error {
				texts[answers.WithoutChance(string(data[:min(len(data), longestNoted)]), func(string) string { return "⟨⟩" })] = d
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
		if len(texts) == 0 {
			return
		}
		i, pick := 0, m.draw(fmt.Sprint("text ", n), len(texts))
		for _, d := range inOrder(texts) {
			if i++; i-1 == pick {
				req := api.RedactRequest{Digest: d, Reason: "it names somebody", Everywhere: true, DryRun: true}
				_, _ = pi.Redact(m.ctx, req)
				req.DryRun = false
				_, _ = pi.Redact(m.ctx, req)
			}
		}
		for _, a := range known {
			m.ask(a)
		}
	}
	m.rest(t)
	survey(m)
	_, _ = pi.Verify(m.ctx, api.VerifyRequest{})
}

// rest lets happen what happens by itself.
func (m midway) rest(t *testing.T) {
	n, more, err := m.app.Automation().Run(m.ctx, 40)
	m.say("by itself", []any{n, more}, err)
}

func (m midway) configures(t *testing.T, more string) {
	_, _ = m.PI().ApplyConfig(m.ctx, api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: apitest.Config + more}})
}

const manyRules = `notify: {webhooks: [{url: 'https://one.example.org/hook', secret: HOOK_KEY}]}
automation:
  - {name: distil, when: {count: 1}}
  - {name: memo, when: {count: 2}}
  - {name: update, when: {module: lineage}}
  - {name: alignment, on: [written, handed_in, promoted, task_done]}
  - {name: assumptions, on: [written, handed_in, promoted]}
  - {name: harvest, on: [session_compiled, promoted]}
  - {name: tell, on: [session_answered, session_compiled, promoted, demoted, handed_in, stale, fork, written, reply, task_done, task_blocked, stalemate, lesson], do: {act: notify, title: Look.}}
  - {name: third, on: [written, promoted], when: {count: 2, module: lineage}, do: {act: task, role: writer, title: Read both, spec: And say which holds.}}
  - {name: notes, on: written, when: {type: paper_note}, do: {act: alignment}}
  - {name: author, on: written, when: {role: hypothesis_generator, count: 1}, do: {act: notify}}
  - {name: many-stale, on: stale, when: {count: 2}, do: {act: notify, title: Two are stale.}}
  - {name: seldom, on: [written, reply, lesson], per_hour: 1, do: {act: notify, title: Once.}}
  - {name: answered, on: session_answered, do: {act: compile}}
  - {name: tidy, on: every 6h, do: {act: consolidate}}
`

func (m midway) automates(t *testing.T) {
	m.configures(t, manyRules)
	notices := m.app.Notices(app.Identity{Name: m.pi, Auth: app.AuthServer})
	for _, a := range append(slices.Clone(m.before(4)), m.coming(6)...) {
		m.ask(a)
		m.rest(t)
	}
	m.say("look", nil, notices.Look(m.ctx))
	all, err := notices.Waiting(m.ctx)
	m.say("notices", all, err)
	m.pass(7 * time.Hour)
	m.rest(t)
	survey(m)
	for _, seq := range []int64{0, 9, 12} {
		_, _ = m.PI().TestAutomation(m.ctx, api.TestAutomationRequest{Seq: seq})
	}
}

func (m midway) waits(t *testing.T) {
	for _, d := range []time.Duration{20 * time.Minute, 24 * time.Hour, 15 * 24 * time.Hour} {
		m.pass(d)
		m.rest(t)
		for _, a := range m.coming(3) {
			m.ask(a)
		}
		_, _ = m.PI().Waiting(m.ctx, api.WaitingRequest{})
		_, _ = m.PI().Status(m.ctx)
	}
	survey(m)
}

// narrowed are policies under which each role is kept from something else.
var narrowed = func() string {
	var acts []string
	for _, act := range policy.Acts() {
		if act != policy.Admin && act != policy.Audit && act != policy.Run {
			acts = append(acts, string(act))
		}
	}
	return strings.ReplaceAll(`policies:
  hypothesis_generator: {read: ["*"], write: ["*"], promote: ["*"], acts: [ACTS], modules: [gradient]}
  test_designer: {read: [], write: ["*"], promote: ["*"], acts: [ACTS]}
  adversarial_critic: {read: ["*"], write: ["*"], promote: ["*"], acts: [ACTS], modules: [lineage]}
  integrator: {read: [paper_note, model_spec], write: ["*"], promote: ["*"], acts: [ACTS]}
  writer: {read: ["*"], write: [], acts: []}
  distiller: {read: ["*"], write: [raw_log], acts: [ACTS], modules: [lineage, project]}
`, "ACTS", strings.Join(acts, ", "))
}()

func (m midway) narrows(t *testing.T) {
	m.configures(t, narrowed)
	m.letsOthersAsk(t)
	for _, a := range m.before(4) {
		m.ask(a)
	}
	m.rest(t)
	for name := range inOrder(apitest.Agents) {
		_, _ = m.As(name).Status(m.ctx)
		_, _ = m.As(name).Inbox(m.ctx, api.InboxRequest{})
		_, _ = m.As(name).OpenWork(m.ctx, api.OpenWorkRequest{})
	}
	_, _ = m.PI().Denials(m.ctx, api.DenialsRequest{})
}

// stints gives every actor few bytes and every context few tokens.
func (m midway) stints(t *testing.T) {
	var views strings.Builder
	for i, role := range []string{"hypothesis_generator", "test_designer", "adversarial_critic", "integrator", "writer", "distiller"} {
		fmt.Fprintf(&views, "  %s: {types: [{type: paper_note}, {type: model_spec}, {type: analysis_result, variant: full, max: 1}], budget: {unit: %s, size: %d}, grow: %t, bullets: {stages: [PROD, SHADOW], max: 2}}\n",
			role, []string{"bytes", "tokens"}[i%2], 700+300*i, i%3 == 0)
	}
	m.configures(t, "storage_per_actor: 6000\nbudget: {runs: 1}\nviews:\n"+views.String())
	known := append(slices.Clone(m.before(5)), m.coming(5)...)
	agents := slices.Compact(slices.Collect(func(yield func(brenner.ActorName) bool) {
		for _, a := range known {
			if a.by.who != m.pi && !yield(a.by.who) {
				return
			}
		}
	}))
	for _, name := range append(agents, "GreenValley", "BlueLake") {
		_, _ = m.As(name).AssembleContext(m.ctx, api.ContextRequest{Question: "what is known about fate?", Modules: []brenner.Module{"lineage"}})
	}
	for range 2 {
		for _, a := range known {
			m.ask(a)
		}
	}
	for name := range inOrder(apitest.Agents) {
		_, _ = m.As(name).Status(m.ctx)
	}
}

// fails lets the store be away in each transaction of a question once, and of what
// nobody asks for.
func (m midway) fails(t *testing.T) {
	often := func(ask func()) {
		for after := 0; after < mostAway; after++ {
			if !m.store.leave(after, ask) {
				break
			}
		}
	}
	for _, a := range append(slices.Clone(m.before(4)), m.coming(6)...) {
		often(func() { m.ask(a) })
	}
	m.configures(t, manyRules)
	notices := m.app.Notices(app.Identity{Name: m.pi, Auth: app.AuthServer})
	often(func() { m.say("look", nil, notices.Look(m.ctx)) })
	often(func() {
		all, err := notices.Waiting(m.ctx)
		m.say("notices", all, err)
	})
	often(func() { m.rest(t) })
	often(func() {
		d, err := m.app.Automation().Instants(m.ctx)
		m.say("instants", d, err)
	})
	often(func() {
		has, err := m.app.HasTokens(m.ctx)
		m.say("tokens", has, err)
	})
	often(func() {
		owner, err := m.app.Owner(m.ctx)
		m.say("owner", owner, err)
	})
	often(func() { m.say("ready", nil, m.app.Ready(m.ctx)) })
	often(func() {
		m.say("may", nil, m.app.May(m.ctx, app.Identity{Name: "BlueLake", Auth: app.AuthAs}, []policy.Action{policy.Read}))
	})
}

// mostAway is how many transactions of a question fail, one after the other.
const mostAway = 9

// never is when a store is away that is always there.
const never = -1

// absent is a store that is away for one transaction.
type absent struct {
	store.Store

	mu    sync.Mutex
	after int // so many transactions
	count int
}

// leave lets the store be away after so many transactions of what is done, and
// reports whether there were as many.
func (s *absent) leave(after int, do func()) bool {
	set := func(after int) int {
		s.mu.Lock()
		defer s.mu.Unlock()
		met := s.count
		s.after, s.count = after, 0
		return met
	}
	set(after)
	do()
	return set(never) > after
}

func (s *absent) away() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	return s.count == s.after+1
}

func (s *absent) Read(ctx context.Context, fn func(store.Reader) error) error {
	if s.away() {
		return errFault
	}
	return s.Store.Read(ctx, fn)
}

func (s *absent) Write(ctx context.Context, fn func(store.Tx) error) error {
	if s.away() {
		return errFault
	}
	return s.Store.Write(ctx, fn)
}
