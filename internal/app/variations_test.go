package app_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"brenner"
)

// asked is one question of a story, which can be asked again in another way.
type asked struct {
	by   noted
	name string
	req  any // nil: it takes none
}

// oneIn is of how many variations one is asked, so that of each use case some
// hundred are: of what stories ask it, with something changed or with what
// another question had in its place, and the same of what is asked when any story
// is over. Of a use case that is not here, which few stories ask, it is all. Which
// ones is in their names, so that a story has the same ones whatever is told
// before it.
var oneIn = map[string][4]uint32{
	"AckMessage":         {1, 4, 1, 1},
	"AddAgent":           {135, 738, 1, 1},
	"ApplyConfig":        {1, 8, 1, 1},
	"ApplyPatch":         {13, 36, 1, 1},
	"ArbitrateStalemate": {2, 8, 1, 1},
	"Artifact":           {28, 58, 1, 1},
	"Artifacts":          {3, 16, 214, 832},
	"AssembleContext":    {30, 180, 1, 1},
	"AutomationRules":    {1, 2, 34, 1},
	"BeatRuns":           {1, 4, 1, 1},
	"Bullet":             {8, 14, 15, 26},
	"Bullets":            {1, 2, 214, 784},
	"CancelTask":         {1, 12, 1, 1},
	"CheckAlignment":     {1, 6, 1, 1},
	"ClaimTask":          {7, 42, 1, 1},
	"CollectGarbage":     {1, 4, 1, 1},
	"Comment":            {1, 4, 1, 1},
	"CompileSession":     {4, 22, 1, 1},
	"CompleteTask":       {3, 36, 1, 1},
	"Conflicts":          {1, 2, 166, 410},
	"CreateArtifact":     {66, 654, 1, 1},
	"Decide":             {1, 6, 1, 1},
	"DecideStalemate":    {1, 20, 1, 1},
	"Demote":             {1, 4, 1, 1},
	"Denials":            {1, 2, 94, 1},
	"Deprecate":          {2, 10, 1, 1},
	"DiagnoseSession":    {1, 4, 39, 122},
	"EndRun":             {5, 126, 1, 1},
	"ExportPlaybook":     {1, 2, 106, 68},
	"ExportStalemate":    {1, 2, 6, 18},
	"Feedback":           {1, 4, 1, 1},
	"Firings":            {1, 2, 166, 742},
	"ForceBullet":        {1, 6, 1, 1},
	"Forks":              {1, 2, 34, 1},
	"HandIn":             {1, 4, 1, 1},
	"History":            {1, 4, 106, 296},
	"ImportStalemate":    {1, 4, 1, 1},
	"Inbox":              {5, 18, 130, 376},
	"Invocation":         {1, 4, 6, 32},
	"Invocations":        {1, 2, 202, 854},
	"Learn":              {22, 80, 1, 1},
	"Lineage":            {1, 2, 177, 310},
	"MoveStalemate":      {2, 52, 1, 1},
	"NewTask":            {25, 176, 1, 1},
	"NudgeSession":       {1, 8, 1, 1},
	"OpenWork":           {1, 6, 142, 410},
	"PlaybookStats":      {1, 2, 70, 36},
	"PreviewContext":     {3, 20, 358, 1672},
	"Project":            {11, 2, 34, 1},
	"Promote":            {27, 134, 1, 1},
	"RaiseStalemate":     {6, 226, 1, 1},
	"ReadMessage":        {2, 22, 1, 1},
	"Records":            {3, 18, 405, 1598},
	"Redact":             {4, 16, 1, 1},
	"ReplyMessage":       {1, 6, 1, 1},
	"RequestChanges":     {1, 4, 1, 1},
	"ResolveConflict":    {1, 6, 1, 1},
	"Review":             {1, 2, 78, 76},
	"Rosters":            {1, 2, 34, 1},
	"RunCosts":           {1, 2, 130, 410},
	"Runs":               {1, 8, 334, 1266},
	"SameBullets":        {1, 4, 1, 1},
	"SearchArtifacts":    {3, 22, 274, 1624},
	"Session":            {5, 2, 63, 6},
	"SessionStatus":      {1, 2, 13, 6},
	"Sessions":           {1, 2, 142, 370},
	"Snapshot":           {1, 2, 34, 168},
	"Spine":              {1, 2, 34, 1},
	"Stale":              {1, 4, 130, 404},
	"Stalemate":          {4, 16, 6, 18},
	"Stalemates":         {1, 4, 178, 742},
	"StartRun":           {10, 70, 1, 1},
	"StartSession":       {14, 264, 1, 1},
	"Status":             {1, 2, 34, 1},
	"SubmitDeltas":       {14, 82, 1, 1},
	"Task":               {1, 4, 1, 1},
	"Tasks":              {1, 2, 190, 484},
	"UndoBullet":         {1, 4, 1, 1},
	"UpdateArtifact":     {38, 352, 1, 1},
	"Verify":             {3, 28, 1, 1},
	"Views":              {1, 2, 34, 1},
	"Waiting":            {1, 4, 130, 372},
	"WriteBatch":         {3, 54, 1, 1},
}

// vary asks what a story asked once more, each time with one thing changed: a
// field empty, too long, off by one, turned round, or what another question
// had there; or by somebody else. Less is by how much less is asked than there may
// be. It says how much was asked.
func (w notedWorld) vary(story string, less uint32) int {
	asks := slices.Clone(w.in.asks)
	all := []noted{w.PI().(noted), w.As("GreenValley").(noted), w.As("RedSky").(noted)}
	pool := map[reflect.Type][]reflect.Value{}
	for _, a := range asks {
		if a.req != nil {
			gather(pool, reflect.ValueOf(a.req))
		}
	}
	for i, a := range asks {
		a.vary(pool, all, func(what string, otherwise func() asked) {
			h := fnv.New32a()
			fmt.Fprintf(h, "%s|%s|%s", story, a.name, what)
			if h.Sum32()%(less*rare(a.name, what, i < w.in.own)) == 0 {
				fmt.Fprintf(&a.by.in.text, "%s, %s\n", a.name, what)
				otherwise().again()
			}
		})
	}
	return w.in.calls
}

// rare is of how many such variations one is asked.
func rare(name, what string, own bool) uint32 {
	many, known := oneIn[name]
	if !known {
		return 1
	}
	at := 0
	if !own {
		at = 2
	}
	if strings.Contains(what, "other ") {
		at++
	}
	return many[at]
}

// again asks it.
func (a asked) again() {
	args := []reflect.Value{reflect.ValueOf(context.Background())}
	if a.req != nil {
		args = append(args, reflect.ValueOf(a.req))
	}
	f := reflect.ValueOf(a.by).MethodByName(a.name)
	if len(args) < f.Type().NumIn() {
		args = append(args, reflect.ValueOf(io.Discard)) // an export
	}
	f.Call(args)
}

// vary gives the ways in which something can be asked otherwise.
func (a asked) vary(pool map[reflect.Type][]reflect.Value, all []noted, give func(what string, otherwise func() asked)) {
	for _, s := range all {
		give("as "+string(s.who), func() asked { return asked{s, a.name, a.req} })
	}
	if a.req != nil {
		changes(reflect.ValueOf(a.req), pool, func(what string, now made) {
			give(what, func() asked { return asked{a.by, a.name, now().Interface()} })
		})
	}
}

// made is a value that is made when it is wanted.
type made func() reflect.Value

// mostOthers bounds how many values of a type stand in each other's place.
const mostOthers = 12

// gather notes which values of its own types a request has.
func gather(pool map[reflect.Type][]reflect.Value, v reflect.Value) {
	t := v.Type()
	if t.Kind() == reflect.String && v.Len() > 0 || t == reflect.TypeFor[brenner.Ref]() {
		if len(pool[t]) < mostOthers && !slices.ContainsFunc(pool[t], func(x reflect.Value) bool { return x.Interface() == v.Interface() }) {
			pool[t] = append(pool[t], v)
		}
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				gather(pool, v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			gather(pool, v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			gather(pool, v.Elem())
		}
	}
}

// changes gives a value with one thing in it changed.
func changes(was reflect.Value, pool map[reflect.Type][]reflect.Value, give func(what string, now made)) {
	t := was.Type()
	as := func(what string, x any) { give(what, func() reflect.Value { return reflect.ValueOf(x).Convert(t) }) }
	if t == reflect.TypeFor[time.Time]() {
		as("an hour later", was.Interface().(time.Time).Add(time.Hour))
		as("never", time.Time{})
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		as("turned round", !was.Bool())
	case reflect.Int, reflect.Int64:
		for _, n := range []int64{was.Int() + 1, was.Int() - 1, 1, 2, 1 << 40} {
			as(fmt.Sprint("as ", n), n)
		}
	case reflect.Float64, reflect.Float32:
		for _, n := range []float64{was.Float() + 1, was.Float() - 1, 0.5} {
			as(fmt.Sprint("as ", n), n)
		}
	case reflect.String:
		as("empty", "")
		as("with a line more", was.String()+"\n\x07")
		as("no text", was.String()+"\x00")
		as("of another name", "no-such-thing-7")
		as("long", longText)
		others(was, pool, give)
	case reflect.Struct:
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				continue
			}
			changes(was.Field(i), pool, func(what string, now made) {
				give(t.Field(i).Name+" "+what, func() reflect.Value {
					other := reflect.New(t).Elem()
					other.Set(was)
					other.Field(i).Set(now())
					return other
				})
			})
		}
		others(was, pool, give)
	case reflect.Slice:
		changeList(was, pool, give)
	case reflect.Pointer:
		if was.IsNil() {
			give("there", func() reflect.Value { return reflect.New(t.Elem()) })
			return
		}
		give("away", func() reflect.Value { return reflect.Zero(t) })
		changes(was.Elem(), pool, func(what string, now made) {
			give(what, func() reflect.Value {
				other := reflect.New(t.Elem())
				other.Elem().Set(now())
				return other
			})
		})
	}
}

// longText is longer than most texts may be.
var longText = strings.Repeat("word ", 60_000)

// changeList gives a list with another number of things in it, or with another
// first one.
func changeList(was reflect.Value, pool map[reflect.Type][]reflect.Value, give func(what string, now made)) {
	t := was.Type()
	if was.Len() == 0 {
		for i, one := range pool[t.Elem()] {
			give(fmt.Sprint("with other ", i), func() reflect.Value { return reflect.Append(reflect.Zero(t), one) })
		}
		return
	}
	for _, times := range []int{0, 2, 300} {
		give(fmt.Sprint("times ", times), func() reflect.Value {
			out := reflect.Zero(t)
			for range times {
				out = reflect.AppendSlice(out, was)
			}
			return out
		})
	}
	changes(was.Index(0), pool, func(what string, now made) {
		give("first "+what, func() reflect.Value {
			other := reflect.AppendSlice(reflect.Zero(t), was)
			other.Index(0).Set(now())
			return other
		})
	})
}

// others gives what other questions have in the place of a value.
func others(was reflect.Value, pool map[reflect.Type][]reflect.Value, give func(what string, now made)) {
	for i, other := range pool[was.Type()] {
		if !other.Equal(was) {
			give(fmt.Sprint("as other ", i), func() reflect.Value { return other })
		}
	}
}
