package app_test

import (
	"cmp"
	"context"
	"reflect"
	"sync"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
)

// vault is a project that holds something of everything, asked directly.
type vault struct {
	world
	apitest.Vault
}

// newVault gives a vault of its own; all begin with the same.
func newVault(t *testing.T) vault {
	t.Helper()
	first.Do(func() {
		s := memory.New()
		config := &api.ConfigFile{Name: ".brennerrc", Data: apitest.VaultConfig}
		if _, err := on(t, s).Init(t.Context(), api.InitRequest{Name: "Vault", PI: "ada", Config: config}); err != nil {
			t.Fatal(err)
		}
		first.Vault, first.store = apitest.FillVault(t, world{app: on(t, s), pi: "ada"}.PI()), s
	})
	if first.store == nil {
		t.Fatal("the vault was not filled")
	}
	return vault{world{app: on(t, memory.Fork(first.store)), pi: "ada"}, first.Vault}
}

// first is the vault that others begin with.
var first struct {
	sync.Once
	apitest.Vault
	store store.Store
}

func on(t *testing.T, s store.Store) *app.App {
	return app.New(s, app.Options{
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
}

// by asks as a reader: persons log in, as nobody may act in their name.
func (v vault) by(r apitest.Reader) api.Service {
	if r.Person {
		return v.app.As(app.Identity{Name: r.Name, Auth: app.AuthLogin})
	}
	return v.As(r.Name)
}

// C33: whatever anybody asks for, in whatever way, no word of what its role, its
// context or the module keeps from it comes back: not in answers, not in
// refusals. Every method of the service is asked about everything there is by
// every role, without a context, through one of each module, and by persons.
func TestLeak_NoPathGivesAwayWhatItsReaderMayNotSee(t *testing.T) {
	skipShort(t)
	for n, reader := range newVault(t).Readers {
		t.Run(reader.String(), func(t *testing.T) {
			t.Parallel()
			v := newVault(t)
			reader := v.Readers[n]
			if !soak() {
				v.Vault = v.Some(n)
			}
			calls := v.AskEverything(t, reader, v.by(reader), nil)
			t.Logf("%d calls of %d methods", calls, reflect.TypeFor[api.Service]().NumMethod())
		})
	}
}

// C33: a search finds nothing in what its reader may not read: a hit would say
// which words stand there. It finds what the reader may.
func TestLeak_NoSearchMatchesWordsOfWhatIsDenied(t *testing.T) {
	skipShort(t)
	v := newVault(t)
	hits := 0
	for _, reader := range v.Readers {
		svc := v.by(reader)
		reader.Renew(t, svc)
		for _, modules := range [][]brenner.Module{nil, {"gradient"}, {"lineage", "gradient"}} {
			found, err := svc.SearchArtifacts(t.Context(), api.SearchArtifactsRequest{Text: apitest.Marker, Modules: modules})
			for _, hit := range found.Items {
				if hits++; !reader.Sees(hit.Module, string(hit.Type)) {
					t.Errorf("%s in %v found %s", reader, modules, hit.ID)
				}
			}
			for _, secret := range v.Names {
				list, listed := svc.Artifacts(t.Context(), api.ListArtifactsRequest{Tag: apitest.TagOf(secret), Modules: modules})
				for _, item := range list.Items {
					if hits++; !reader.Sees(item.Module, string(item.Type)) {
						t.Errorf("%s in %v listed %s", reader, modules, item.ID)
					}
				}
				err = cmp.Or(err, listed)
			}
			if sees := reader.Person || reader.Context != ""; sees && err != nil && brenner.CodeOf(err) != brenner.CodeReadDenied && brenner.CodeOf(err) != brenner.CodeWriteDenied {
				t.Errorf("%s in %v: %v", reader, modules, err)
			}
		}
	}
	if hits == 0 {
		t.Error("nobody found anything")
	}
}
