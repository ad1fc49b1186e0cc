package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/cli"
	"brenner/internal/httpapi"
	"brenner/internal/pgtest"

	"github.com/anishathalye/porcupine"
)

// crowd is many clients of two servers on one database, one of which dies.
type crowd struct {
	t       *testing.T
	servers []string
	tokens  []string
	began   time.Time
	done    atomic.Int64 // operations that were acknowledged

	mu      sync.Mutex
	history []porcupine.Operation
	written map[brenner.ArtifactID]bool
}

// The operations whose order is checked.
type (
	claim   struct{ task string } // gives whether it was won
	promote struct {              // always works
		id      brenner.ArtifactID
		version brenner.Version
	}
	read   struct{ id brenner.ArtifactID } // gives the canonical version
	holder struct {                        // a state
		client  int
		version brenner.Version
	}
)

// contended is what a client promotes versions of. A few clients share each:
// deciding whether a history is linearizable takes time that grows fast with
// how many act on one thing at once.
func contended(client int) brenner.ArtifactID {
	return brenner.ArtifactID(fmt.Sprintf("shared-%d", client/8))
}

// claims and promotions each look like one thing at a time happened: a task
// has one holder, and the canonical version is the one promoted last.
var model = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		parts := map[string][]porcupine.Operation{}
		for _, op := range history {
			var name string
			switch what := op.Input.(asked).what.(type) {
			case claim:
				name = what.task
			case promote:
				name = string(what.id)
			case read:
				name = string(what.id)
			}
			parts[name] = append(parts[name], op)
		}
		var out [][]porcupine.Operation
		for _, p := range parts {
			out = append(out, p)
		}
		return out
	},
	Init: func() any { return holder{client: -1, version: 1} },
	Step: func(state, input, output any) (bool, any) {
		s, in := state.(holder), input.(asked)
		switch what := in.what.(type) {
		case claim:
			if output.(bool) {
				return s.client == -1 || s.client == in.client, holder{client: in.client}
			}
			return s.client != -1 && s.client != in.client, s
		case promote:
			return true, holder{client: -1, version: what.version}
		default:
			return output.(brenner.Version) == s.version, s
		}
	},
}

// asked is an operation and who asked for it.
type asked struct {
	client int
	what   any
}

// do asks until somebody answers, always the same request: first one server,
// then the other. A request has a key, so that asking twice does nothing twice.
func do[Res any](c *crowd, client int, ask func(s api.Service) (Res, error)) (Res, error) {
	at := rand.IntN(len(c.servers))
	for {
		s, err := httpapi.NewClient(c.servers[at], c.tokens[client], nil)
		if err != nil {
			c.t.Fatal(err)
		}
		res, err := ask(s)
		switch brenner.CodeOf(err) {
		case brenner.CodeStoreUnavailable, brenner.CodeStoreBusy, brenner.CodeRateLimited:
			at = (at + 1) % len(c.servers)
			time.Sleep(2 * time.Millisecond)
			if c.t.Context().Err() != nil {
				return res, err
			}
			continue
		}
		c.done.Add(1)
		return res, err
	}
}

// note adds an operation to the history.
func (c *crowd) note(client int, what any, from time.Time, out any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history = append(c.history, porcupine.Operation{
		ClientId: client, Input: asked{client, what}, Output: out,
		Call: from.Sub(c.began).Nanoseconds(), Return: time.Since(c.began).Nanoseconds(),
	})
}

// work is one client: it writes notes, claims tasks, promotes and reads.
func (c *crowd) work(ctx context.Context, client, rounds int, tasks []string) {
	for i := range rounds {
		key := func(what string) api.Write { return api.Write{Key: fmt.Sprintf("%s-%d-%d", what, client, i)} }
		res, err := do(c, client, func(s api.Service) (api.WriteResult, error) {
			return s.CreateArtifact(ctx, api.CreateArtifactRequest{
				Write: key("write"), Type: "paper_note", Summary: fmt.Sprintf("note %d of %d", i, client),
				Content: api.Body{Format: artifact.Text, Data: "x"},
			})
		})
		if err != nil {
			c.t.Errorf("write: %v", err)
			return
		}
		c.mu.Lock()
		if c.written[res.Ref.Artifact] {
			c.t.Errorf("%s was given to two writers", res.Ref)
		}
		c.written[res.Ref.Artifact] = true
		c.mu.Unlock()
		c.claims(ctx, client, tasks[rand.IntN(len(tasks))], key("claim"))
		c.promotes(ctx, client, key)
	}
}

func (c *crowd) claims(ctx context.Context, client int, task string, w api.Write) {
	from := time.Now()
	_, err := do(c, client, func(s api.Service) (api.TaskInfo, error) {
		return s.ClaimTask(ctx, api.ClaimTaskRequest{Write: w, ID: task, Lease: api.Duration(time.Hour)})
	})
	if code := brenner.CodeOf(err); code != "" && code != brenner.CodeTaskTaken {
		c.t.Errorf("claim: %v", err)
	}
	c.note(client, claim{task}, from, err == nil)
}

func (c *crowd) promotes(ctx context.Context, client int, key func(string) api.Write) {
	summary := key("version").Key
	v, err := do(c, client, func(s api.Service) (api.WriteResult, error) {
		return s.UpdateArtifact(ctx, api.UpdateArtifactRequest{
			Write: key("version"), ID: contended(client), Summary: &summary, Content: &api.Body{Format: artifact.Text, Data: summary},
		})
	})
	if err != nil {
		c.t.Errorf("version: %v", err)
		return
	}
	from := time.Now()
	if _, err := do(c, client, func(s api.Service) (api.DecisionResult, error) {
		return s.Promote(ctx, api.PromoteRequest{Write: key("promote"), Ref: v.Ref, Reason: "it holds"})
	}); err != nil {
		c.t.Errorf("promote: %v", err)
		return
	}
	c.note(client, promote{v.Ref.Artifact, v.Ref.Version}, from, nil)
	from = time.Now()
	seen, err := do(c, client, func(s api.Service) (api.ArtifactView, error) {
		return s.Artifact(ctx, api.ArtifactRequest{Ref: brenner.Ref{Artifact: contended(client)}, Brief: true})
	})
	if err != nil {
		c.t.Errorf("read: %v", err)
		return
	}
	c.note(client, read{contended(client)}, from, seen.Canonical)
}

// X2, X7, C14, C16: two servers on one database under many clients, one killed
// half-way. What was acknowledged is there, once; claims and promotions look
// as if they had happened one after the other.
func TestServers_OneKilledLosesAndDoublesNothing(t *testing.T) {
	clients, rounds := 8, 4
	if os.Getenv("BRENNER_SOAK") != "" {
		clients, rounds = 64, 20
	}
	home := newShell(t)
	home.env["BRENNER_STORE"] = pgtest.Open(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	pi, closer, err := openProject(t.Context(), cli.Where{Dir: home.dir, Store: home.env["BRENNER_STORE"]})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = closer() }()
	c := &crowd{t: t, began: time.Now(), written: map[brenner.ArtifactID]bool{}}
	tasks := c.stage(pi, clients)
	first, victim := home.serverProcess()
	second, _ := home.serverProcess()
	c.servers = []string{first, second}

	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() { c.work(t.Context(), i, rounds, tasks) })
	}
	const perRound = 5 // acknowledged operations
	for c.done.Load() < int64(clients*rounds*perRound/2) && !t.Failed() {
		time.Sleep(time.Millisecond)
	}
	if err := victim.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	c.check(pi, clients*rounds)
}

// stage makes the people, the tasks and what they fight over.
func (c *crowd) stage(pi api.Service, clients int) (tasks []string) {
	ctx := c.t.Context()
	must := func(err error) {
		if err != nil {
			c.t.Fatal(err)
		}
	}
	for i := range clients {
		name := brenner.ActorName(fmt.Sprintf("P%d", i))
		_, err := pi.AddAgent(ctx, api.AddAgentRequest{Name: name, Role: brenner.PI, Person: true})
		must(err)
		token, err := pi.IssueToken(ctx, api.IssueTokenRequest{Actor: name})
		must(err)
		c.tokens = append(c.tokens, token.Secret)
	}
	for i := range max(2, clients/4) {
		t, err := pi.NewTask(ctx, api.NewTaskRequest{Title: fmt.Sprintf("task %d", i), Role: brenner.PI})
		must(err)
		tasks = append(tasks, t.ID)
	}
	for i := 0; i < clients; i += 8 {
		_, err := pi.CreateArtifact(ctx, api.CreateArtifactRequest{
			ID: contended(i), Type: "paper_note", Summary: "shared", Content: api.Body{Format: artifact.Text, Data: "x"},
		})
		must(err)
		_, err = pi.Promote(ctx, api.PromoteRequest{Ref: brenner.Ref{Artifact: contended(i), Version: 1}, Reason: "it holds"})
		must(err)
	}
	return tasks
}

func (c *crowd) check(pi api.Service, writes int) {
	t := c.t
	there := map[brenner.ArtifactID]bool{}
	for cursor := ""; ; {
		list, err := pi.Artifacts(t.Context(), api.ListArtifactsRequest{Page: api.Page{Cursor: cursor, Limit: brenner.MaxPage}, Types: []brenner.TypeName{"paper_note"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list.Items {
			there[a.ID] = true
		}
		if cursor = list.Cursor; cursor == "" {
			break
		}
	}
	for i := 0; i < len(c.tokens); i += 8 {
		delete(there, contended(i))
	}
	for id := range c.written {
		if !there[id] {
			t.Errorf("%s was acknowledged and is not there", id)
		}
	}
	if len(c.written) != writes || len(there) != writes {
		t.Errorf("%d writes were acknowledged of %d, %d are there", len(c.written), writes, len(there))
	}
	if got := porcupine.CheckOperationsTimeout(model, c.history, 2*time.Minute); got != porcupine.Ok {
		t.Errorf("%d claims, promotions and reads are not linearizable: %v", len(c.history), got)
	}
	if v, err := pi.Verify(t.Context(), api.VerifyRequest{}); err != nil || !v.OK {
		t.Errorf("verify: %+v, %v", v, err)
	}
	t.Logf("%d writes, %d claims, promotions and reads", writes, len(c.history))
}

// The check itself can fail: a task won twice, a promotion forgotten.
func TestServers_TheModelRefusesWhatIsNotLinearizable(t *testing.T) {
	op := func(client int, what any, from, to int64, out any) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Input: asked{client, what}, Output: out, Call: from, Return: to}
	}
	for name, history := range map[string][]porcupine.Operation{
		"two winners":          {op(0, claim{"t"}, 0, 1, true), op(1, claim{"t"}, 2, 3, true)},
		"taken by nobody":      {op(0, claim{"t"}, 0, 1, false)},
		"a promotion lost":     {op(0, promote{"n", 2}, 0, 1, nil), op(1, read{"n"}, 2, 3, brenner.Version(1))},
		"a promotion too soon": {op(1, read{"n"}, 0, 1, brenner.Version(2)), op(0, promote{"n", 2}, 2, 3, nil)},
	} {
		if porcupine.CheckOperations(model, history) {
			t.Errorf("%s passed", name)
		}
	}
}

// C1: what is written through one server is in the feed of another.
func TestServers_TheFeedCrossesServers(t *testing.T) {
	home := newShell(t)
	home.env["BRENNER_STORE"] = pgtest.Open(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	token := home.must("agent", "token", "ada")
	first, _ := home.serverProcess()
	second, _ := home.serverProcess()
	h, err := http.NewRequestWithContext(t.Context(), http.MethodGet, first+"/api/v1/feed", nil)
	if err != nil {
		t.Fatal(err)
	}
	h.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(h)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), ":") { // the feed has begun
	}
	home.with("BRENNER_TOKEN", token).must("--server", second, "agent", "add", "BlueLake", "--role", "writer")
	for lines.Scan() {
		if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			if kind != "actor.put" {
				t.Errorf("the feed says %s", kind)
			}
			return
		}
	}
	t.Error("the feed ended")
}
