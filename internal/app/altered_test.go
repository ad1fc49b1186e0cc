package app_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/internal/answers"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
)

// J3: whatever the store says that is not what was written, verify says so, or
// says that it cannot be read. What is said of each is kept.
func TestVerify_FindsWhateverIsReadOtherwise(t *testing.T) {
	skipRace(t)
	s := memory.New()
	w := openNoted(t, s)
	tellRoom(t, w, func(t *testing.T, w notedWorld) {
		tellTurns(t, w)
		_, _ = w.PI().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "GreyStone", Expires: api.Duration(3600e9)})
		_, _ = w.PI().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "WhiteFox"})
		_, _ = w.PI().RevokeToken(t.Context(), api.RevokeTokenRequest{Actor: "WhiteFox"})
	})
	lie := &lying{Store: s}
	reads := app.New(lie, app.Options{Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil }}).
		As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	verify := func() (api.VerifyResult, error) { return reads.Verify(t.Context(), api.VerifyRequest{Deep: true}) }
	lie.seen = map[string]int{}
	if got, err := verify(); err != nil || !got.OK || got.Rebuilt == 0 {
		t.Fatalf("as it is: %+v, %v", got, err)
	}
	read := lie.seen
	lie.seen = nil
	kept := map[string]*strings.Builder{}
	tried := 0
	for what, n := range read {
		for at := range n {
			for _, how := range lie.ways(what) {
				h := fnv.New32a()
				fmt.Fprint(h, what, at, how)
				if oneIn := oneInLies(what); h.Sum32()%oneIn != 0 {
					continue
				}
				lie.what, lie.at, lie.how, lie.told = what, at, how, false
				got, err := verify()
				if !lie.told {
					continue // it is so
				}
				if err == nil && got.OK && what != "version" { // not each of them is looked at closely
					t.Errorf("%s %d, %s: nothing is said", what, at, how)
				}
				if kept[what] == nil {
					kept[what] = &strings.Builder{}
				}
				fmt.Fprintf(kept[what], "%d %s: %s %s\n", at, how, answers.Text(got.Findings), answers.Text(err))
				tried++
			}
		}
	}
	lie.what = ""
	t.Logf("%d lies", tried)
	for what, b := range kept {
		text := answers.WithoutChance(b.String(), func(string) string { return "⟨⟩" })
		answers.Keep(t, "testdata/altered.golden", what, answers.Digest(text), text)
	}
}

// oneInLies is of how many lies one is told.
func oneInLies(what string) uint32 {
	if strings.HasPrefix(what, "table ") {
		return 61
	}
	return 5
}

// lying is a store that says something else about one thing.
type lying struct {
	store.Store
	seen map[string]int // how often each was read; nil: it is not counted

	what string // about what it lies
	at   int    // the how manieth of them
	how  string
	told bool // it was another thing indeed
}

// ways are the ways in which something can be said otherwise.
func (l *lying) ways(what string) []string {
	if what == "content" {
		return []string{"gone", "removed", "with more"}
	}
	ways := []string{"gone"}
	changes(reflect.ValueOf(rowOf[what]), nil, func(how string, _ made) {
		if what != "version" || strings.HasPrefix(how, "Content ") {
			ways = append(ways, how)
		}
	})
	return ways
}

// rowOf is what is read of each.
var rowOf = map[string]any{"version": store.Version{}}

func (l *lying) Read(ctx context.Context, fn func(store.Reader) error) error {
	return l.Store.Read(ctx, func(r store.Reader) error { return fn(lyingReader{r, l}) })
}

type lyingReader struct {
	store.Reader
	*lying
}

// lies reports whether it lies about one of them.
func (l *lying) lies(what string, at int) bool {
	if l.seen != nil {
		l.seen[what] = max(l.seen[what], at+1)
	}
	is := what == l.what && at == l.at
	l.told = l.told || is && (what == "content" || l.how == "gone")
	return is
}

func (r lyingReader) EachBlob(ctx context.Context, fn func(d brenner.Digest, data []byte) error) error {
	at := -1
	return r.Reader.EachBlob(ctx, func(d brenner.Digest, data []byte) error {
		if at++; !r.lies("content", at) {
			return fn(d, data)
		}
		switch r.how {
		case "gone":
			return nil
		case "removed":
			return fn(d, nil)
		}
		return fn(d, append(data[:len(data):len(data)], '!'))
	})
}

func (r lyingReader) Version(ctx context.Context, ref brenner.Ref) (store.Version, error) {
	v, err := r.Reader.Version(ctx, ref)
	if err != nil || !r.lies("version", int(ref.Version)) {
		return v, err
	}
	if r.how == "gone" {
		return store.Version{}, brenner.Errorf(brenner.CodeNotFound, "no version %s", ref)
	}
	return r.otherwise(v).(store.Version), nil
}

func (r lyingReader) Each(ctx context.Context, t store.Table, fn func(row any) error) error {
	what, at := fmt.Sprint("table ", t), -1
	return r.Reader.Each(ctx, t, func(row any) error {
		if rowOf[what] == nil {
			rowOf[what] = row
		}
		if at++; !r.lies(what, at) {
			return fn(row)
		}
		if r.how == "gone" {
			return nil
		}
		return fn(r.otherwise(row))
	})
}

// otherwise is a row with something changed.
func (l *lying) otherwise(row any) any {
	out := row
	changes(reflect.ValueOf(row), nil, func(what string, now made) {
		if what == l.how {
			out = now().Interface()
		}
	})
	l.told = l.told || !reflect.DeepEqual(row, out)
	return out
}
