package mcpserver

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/canon"
	"brenner/internal/app"
	"brenner/internal/store/memory"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// C33: no tool, resource or prompt gives its reader a word that it may not see,
// in answers, words, data, refusals or what comes with them. What there is to ask
// is what the server lists.
func TestLeak_NothingOfferedGivesAwayWhatItsReaderMayNotSee(t *testing.T) {
	if testing.Short() {
		t.Skip("one caller at a time")
	}
	vault, _ := newVault(t)
	for _, reader := range vault.Few(false) {
		t.Run(reader.String(), func(t *testing.T) {
			vault, a := newVault(t)
			svc := a.As(app.Identity{Name: reader.Name, Auth: app.AuthAs})
			o := Options{Version: "1", Service: func(context.Context, http.Header) (api.Service, error) { return svc, nil }}
			client := connect(t, New(o))
			found, heardAny := map[string]bool{}, false
			hear := func(what, asked string, answer any, err error) {
				said := string(canon.MustMarshal(answer))
				if err != nil {
					said += err.Error()
				}
				heardAny = heardAny || strings.Contains(said, apitest.Marker+"-")
				if leaked := reader.Leaks(said, asked); leaked != "" && !found[what+leaked] {
					found[what+leaked] = true
					t.Errorf("%s %.200s says %s:\n%.600s", what, asked, leaked, said)
				}
			}
			calls := vault.askTools(t, reader, svc, client, hear)
			calls += vault.askResources(t, reader, svc, client, hear)
			if reader.Reads() && !heardAny {
				t.Error("it was not shown what it may see either: this would pass on nothing")
			}
			t.Logf("%d calls", calls)
		})
	}
}

type vaultOfTools struct{ apitest.Vault }

func newVault(t *testing.T) (vaultOfTools, *app.App) {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{})
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Vault", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: apitest.VaultConfig}}); err != nil {
		t.Fatal(err)
	}
	return vaultOfTools{apitest.FillVault(t, a.As(app.Identity{Name: "ada", Auth: app.AuthOwner}))}, a
}

func connect(t *testing.T, server *mcp.Server) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

type listener func(what, asked string, answer any, err error)

// askTools calls every tool that is listed, about everything.
func (v vaultOfTools) askTools(t *testing.T, reader apitest.Reader, svc api.Service, client *mcp.ClientSession, hear listener) (calls int) {
	list, err := client.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != len(tools()) {
		t.Fatalf("%d tools are listed, %v", len(list.Tools), err)
	}
	for _, tool := range tools() {
		if tool.name == "context_assemble" { // which Renew asks for
			continue
		}
		reader.Renew(t, svc)
		for _, req := range v.Requests(tool.in) {
			arguments := canon.MustMarshal(req.Interface())
			answer, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.name, Arguments: jsonValue(arguments)})
			if err == nil && strings.Contains(string(canon.MustMarshal(answer)), string(brenner.CodeContextOverflow)) {
				reader.Renew(t, svc)
				answer, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.name, Arguments: jsonValue(arguments)})
			}
			hear(tool.name, string(arguments), answer, err)
			calls++
		}
	}
	return calls
}

// variable is the part of an address that a name takes the place of.
var variable = regexp.MustCompile(`\{[^}]*\}`)

// askResources reads every resource that is listed, and gets every prompt.
func (v vaultOfTools) askResources(t *testing.T, reader apitest.Reader, svc api.Service, client *mcp.ClientSession, hear listener) (calls int) {
	templates, err := client.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) == 0 {
		t.Fatal(err)
	}
	resources, err := client.ListResources(t.Context(), nil)
	if err != nil || len(resources.Resources) == 0 {
		t.Fatal(err)
	}
	prompts, err := client.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) == 0 {
		t.Fatal(err)
	}
	addresses := []string{}
	for _, r := range resources.Resources {
		addresses = append(addresses, r.URI)
	}
	for _, name := range v.Names {
		for _, r := range templates.ResourceTemplates {
			addresses = append(addresses, variable.ReplaceAllString(r.URITemplate, name), variable.ReplaceAllString(r.URITemplate, name+"@1"))
		}
	}
	for i, uri := range addresses {
		if i%10 == 0 {
			reader.Renew(t, svc)
		}
		answer, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		hear("resource", uri, answer, err)
	}
	for _, p := range prompts.Prompts {
		for i, name := range v.Names {
			if i%10 == 0 {
				reader.Renew(t, svc)
			}
			arguments := map[string]string{}
			for _, a := range p.Arguments {
				arguments[a.Name] = name
			}
			answer, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: arguments})
			hear("prompt "+p.Name, name, answer, err)
			calls++
		}
	}
	return calls + len(addresses)
}
