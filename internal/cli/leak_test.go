package cli

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/api"
	"brenner/api/apitest"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// elsewhere are the commands that have nothing to do with the project that is
// there: they make another one, serve this one to others, who are asked for
// themselves, or are about the program.
var elsewhere = []string{
	"brenner demo", "brenner init", "brenner import", "brenner serve", "brenner mcp", "brenner run", "brenner man", "brenner completion", "brenner setup", "brenner program",
	// which Renew asks for
	"brenner context assemble",
}

// C33: no command gives an agent a word that it may not see, in what it prints or
// in the files that it writes. What there is to run is the tree of commands, with
// every flag that takes a text.
func TestLeak_NoCommandGivesAwayWhatItsReaderMayNotSee(t *testing.T) {
	if testing.Short() {
		t.Skip("one caller at a time")
	}
	vault, _ := newVault(t)
	for n, reader := range vault.Few(false) {
		if reader.Context == "" && reader.Role != "blind" || reader.Role == "narrow" {
			continue // as through HTTP
		}
		t.Run(reader.String(), func(t *testing.T) {
			vault, a := newVault(t)
			svc := a.As(app.Identity{Name: reader.Name, Auth: app.AuthAs})
			found, heard, runs := map[string]bool{}, false, 0
			dir := t.TempDir()
			hear := func(args []string) {
				said, asked := runAs(t, svc, dir, args), strings.Join(args, " ")
				runs++
				heard = heard || strings.Contains(said, apitest.Marker+"-")
				if leaked := reader.Leaks(said, asked); leaked != "" && !found[args[0]+leaked] {
					found[args[0]+leaked] = true
					t.Errorf("brenner %s says %s:\n%.600s", asked, leaked, said)
				}
			}
			commands := 0
			leaves(Root(), func(c *cobra.Command) {
				if slices.ContainsFunc(elsewhere, func(name string) bool { return strings.HasPrefix(c.CommandPath()+" ", name+" ") }) {
					return
				}
				commands++
				reader.Renew(t, svc)
				for _, name := range vault.Some(n).Some(n).Names {
					for _, args := range commandLines(c, name) {
						hear(args)
					}
				}
			})
			if reader.Reads() && !heard {
				t.Error("it was not shown what it may see either: this would pass on nothing")
			}
			t.Logf("%d runs of %d commands", runs, commands)
		})
	}
}

// commandLines are ways to ask a command about something: with one argument and
// two, in text, and in JSON with every flag.
func commandLines(c *cobra.Command, name string) [][]string {
	path := strings.Fields(c.CommandPath())[1:]
	var texts []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() == "string" || f.Value.Type() == "strings" || f.Value.Type() == "stringArray" || f.Value.Type() == "stringSlice" {
			texts = append(texts, "--"+f.Name+"="+name)
		}
	})
	return [][]string{
		slices.Concat(path, []string{name}),
		slices.Concat(path, []string{name + "@1", name + "@2"}),
		slices.Concat(path, []string{name, "--json"}, texts),
		slices.Concat(path, []string{"--json"}, texts),
	}
}

// runAs runs a command line in a directory and gives everything it said, and
// wrote there.
func runAs(t *testing.T, svc api.Service, dir string, args []string) string {
	t.Helper()
	var said strings.Builder
	nothing := func(string) string { return "" }
	env := Env{
		In: strings.NewReader(""), Out: &said, Err: &said, Getenv: nothing, Dir: dir, Version: "test",
		Open: func(context.Context, Where) (api.Service, func() error, error) {
			return svc, func() error { return nil }, nil
		},
		Store:            func(Where) (string, error) { return "sqlite:" + filepath.Join(dir, "brenner.db"), nil },
		EmbeddingAllowed: func(string) error { return nil },
		AllowEmbedding:   func(string) error { return nil },
	}
	// a command that waits for others is left
	ctx, leave := context.WithTimeout(t.Context(), time.Second)
	defer leave()
	Run(ctx, env, args)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		if _, err = io.Copy(&said, f); err != nil {
			return err
		}
		return os.Remove(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	return said.String()
}

func newVault(t *testing.T) (apitest.Vault, *app.App) {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Vault", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: apitest.VaultConfig}}); err != nil {
		t.Fatal(err)
	}
	return apitest.FillVault(t, a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})), a
}
