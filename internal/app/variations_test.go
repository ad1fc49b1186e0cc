package app_test

import (
	"context"
	"fmt"
	"hash/fnv"
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

// Of how many variations one is asked: of what the story asks, and of what is
// asked when any story is over. Which ones is in their names, so that a story has
// the same ones whatever is told before it.
const (
	oneInStory  = 30
	oneInSurvey = 400
)

// vary asks what a story asked once more, each time with one thing changed: a
// field empty, too long, off by one, turned round, or what another question
// had there; or by somebody else. It says how much was asked.
func (w notedWorld) vary(story string) int {
	asks := slices.Clone(w.in.asks)
	all := []noted{w.PI().(noted), w.As("GreenValley").(noted), w.As("RedSky").(noted)}
	pool := map[reflect.Type][]reflect.Value{}
	for _, a := range asks {
		if a.req != nil {
			gather(pool, reflect.ValueOf(a.req))
		}
	}
	for i, a := range asks {
		oneIn := uint32(oneInStory)
		if i >= w.in.own {
			oneIn = oneInSurvey
		}
		a.vary(pool, all, func(what string, otherwise func() asked) {
			h := fnv.New32a()
			fmt.Fprintf(h, "%s|%s|%s", story, a.name, what)
			if h.Sum32()%oneIn == 0 {
				fmt.Fprintf(&a.by.in.text, "%s, %s\n", a.name, what)
				otherwise().again()
			}
		})
	}
	return w.in.calls
}

// again asks it.
func (a asked) again() {
	args := []reflect.Value{reflect.ValueOf(context.Background())}
	if a.req != nil {
		args = append(args, reflect.ValueOf(a.req))
	}
	reflect.ValueOf(a.by).MethodByName(a.name).Call(args)
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

// gather notes which values of its own types a request has.
func gather(pool map[reflect.Type][]reflect.Value, v reflect.Value) {
	t := v.Type()
	if t.Kind() == reflect.String && v.Len() > 0 || t == reflect.TypeFor[brenner.Ref]() {
		if !slices.ContainsFunc(pool[t], func(x reflect.Value) bool { return x.Interface() == v.Interface() }) {
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
