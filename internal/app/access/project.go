package access

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/config"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/roster"
)

// Init makes a project in an empty store, led by the person named.
func (a *Room) Init(ctx context.Context, req api.InitRequest) (api.ProjectInfo, error) {
	if err := checkInit(req); err != nil {
		return api.ProjectInfo{}, err
	}
	var raw [8]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return api.ProjectInfo{}, err
	}
	id := brenner.ProjectID("p-" + hex.EncodeToString(raw[:]))
	project := store.Project{ID: id, Name: req.Name, At: a.Now()}
	err := a.Found(ctx, project, req.PI, func(ch *kernel.Change) error {
		if _, err := kernel.ProjectCreated.Append(ch, kernel.Project{ID: id, Name: req.Name, PI: req.PI}); err != nil {
			return err
		}
		if req.Config == nil {
			return nil
		}
		_, err := applyConfig(ch, *req.Config, func(config.Config) ([]string, error) { return nil, nil })
		return err
	})
	if err != nil {
		return api.ProjectInfo{}, err
	}
	return a.As(kernel.Identity{Name: req.PI, Auth: kernel.AuthOwner}).Project(ctx)
}

func checkInit(req api.InitRequest) error {
	if err := req.PI.Check(); err != nil {
		return err
	}
	if err := kernel.CheckText(req.Name); err != nil {
		return err
	}
	if strings.TrimSpace(req.Name) == "" || utf8.RuneCountInString(req.Name) > 128 {
		return brenner.Errorf(brenner.CodeInvalidValue, "a project needs a name of 1–128 characters").At("/name")
	}
	return nil
}

// ApplyConfig implements api.Projects.
func (s *Service) ApplyConfig(ctx context.Context, req api.ApplyConfigRequest) (api.ApplyConfigResult, error) {
	return kernel.Write(ctx, s.caller, "config.apply", req, kernel.To(policy.Admin, "configuration"), func(ch *kernel.Change) (api.ApplyConfigResult, error) {
		return applyConfig(ch, req.File, func(next config.Config) ([]string, error) {
			emptied, err := abandoned(ch.Call, next)
			alters := append(next.Alters(&ch.Config), emptied...)
			if err == nil && req.Found && len(alters) > 0 {
				err = config.Unconfirmed(req.File.Name, alters).Try(brenner.Do("config.apply", "file", req.File.Name))
			}
			return alters, err
		})
	})
}

// abandoned says of every module that a configuration declares no longer, and that
// has artifacts, what becomes of them.
func abandoned(c *kernel.Call, next config.Config) ([]string, error) {
	kinds, err := c.Kinds(c.Ctx)
	if err != nil {
		return nil, err
	}
	has := map[brenner.Module]int{}
	for _, k := range kinds {
		has[k.Module] += k.Artifacts
	}
	var out []string
	for _, m := range c.Modules {
		if len(next.Modules) == 0 && m == kernel.DefaultModule {
			continue // who declares none has this one
		}
		if has[m] > 0 && !slices.ContainsFunc(next.Modules, func(d config.Module) bool { return d.Name == m }) {
			out = append(out, fmt.Sprintf("drops module %s: what it has stays (%d), and nothing new can be put there", m, has[m]))
		}
	}
	return out, nil
}

// applyConfig puts a configuration in force unless it is already, or what it
// alters is not agreed to.
func applyConfig(ch *kernel.Change, f api.ConfigFile, agree func(config.Config) ([]string, error)) (api.ApplyConfigResult, error) {
	c, err := parseConfig(f)
	if err != nil {
		return api.ApplyConfigResult{}, err
	}
	digest := c.Digest()
	next, err := kernel.NewSettings(c, digest)
	if err == nil {
		err = rolesAgree(c, next)
	}
	if err != nil {
		return api.ApplyConfigResult{}, config.Locate(f.Name, []byte(f.Data), err)
	}
	out := api.ApplyConfigResult{Digest: digest, Modules: next.Modules}
	for _, t := range c.Types {
		out.Types = append(out.Types, t.Name)
	}
	if ch.Settings != nil && digest == ch.Digest {
		return out, nil
	}
	out.Changed = true
	if out.Alters, err = agree(c); err != nil {
		return api.ApplyConfigResult{}, err
	}
	out.Seq, err = kernel.ConfigApplied.Append(ch, kernel.Configuration{File: f.Name, Digest: digest, Config: c})
	return out, err
}

// rolesAgree refuses a policy that names another role than the key it stands
// under: it would hold for the key. Projects that have one still open.
func rolesAgree(c config.Config, next *kernel.Settings) error {
	for _, role := range slices.Sorted(maps.Keys(c.Policies)) {
		if says := next.Policies[role].Role; says != role {
			return brenner.Errorf(brenner.CodeInvalidConfig, "the policy of %s says that it is that of %s", role, says).
				At("/policies/" + string(role) + "/role").WithHint("leave role out: the key names it")
		}
	}
	return nil
}

// parseConfig reads a configuration together with the prompts it names, so
// that what is put in force stands on its own.
func parseConfig(f api.ConfigFile) (config.Config, error) {
	c, err := config.Parse(f.Name, []byte(f.Data))
	if err != nil {
		return c, err
	}
	for _, path := range c.PromptFiles() {
		text, ok := f.Prompts[path]
		switch {
		case !ok || strings.TrimSpace(text) == "":
			return c, brenner.Errorf(brenner.CodeInvalidConfig, "the prompt %s is missing or empty", path).
				WithHint("write the file beside the configuration, or the text into it")
		case len(text) > brenner.MaxPromptBytes:
			return c, brenner.Errorf(brenner.CodeLimitExceeded, "the prompt %s is longer than %d bytes", path, brenner.MaxPromptBytes)
		}
		if err := kernel.CheckText(text); err != nil {
			return c, err
		}
	}
	return c.WithPromptFiles(f.Prompts), nil
}

// Project implements api.Projects.
func (s *Service) Project(ctx context.Context) (api.ProjectInfo, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "project"), func(c *kernel.Call) (api.ProjectInfo, error) {
		p, err := c.Reader.Project(ctx)
		if err != nil {
			return api.ProjectInfo{}, err
		}
		out := api.ProjectInfo{
			ID: p.ID, Name: p.Name, Actor: c.Who.Name, Role: c.Who.Role, Person: c.Person(),
			Modules: c.Modules, ConfigDigest: c.Digest, Now: c.Now,
		}
		if out.Size, err = c.Size(ctx); err != nil {
			return api.ProjectInfo{}, err
		}
		last, err := c.Reader.Records(ctx, out.Size-1, 1)
		if len(last) == 1 {
			out.LastChange = last[0].At
		}
		return out, err
	})
}

// RolePrompt implements api.Projects.
func (s *Service) RolePrompt(ctx context.Context, req api.RolePromptRequest) (api.RolePrompt, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "prompts"), func(c *kernel.Call) (api.RolePrompt, error) {
		if !slices.Contains(roster.PromptNames(), req.Name) {
			return api.RolePrompt{}, brenner.Errorf(brenner.CodeUnknownRole, "there is no prompt %q", brenner.Clip(req.Name, 60)).
				At("/name").WithHint("the prompts are " + strings.Join(roster.PromptNames(), ", "))
		}
		if req.Session != "" {
			if err := req.Session.Check(); err != nil {
				return api.RolePrompt{}, err
			}
		}
		p, err := c.Reader.Project(ctx)
		if err != nil {
			return api.RolePrompt{}, err
		}
		own := c.Config.PromptTexts()
		_, ours := own[req.Name]
		standing := roster.Standing{Agent: c.Who.Name, Own: c.Who.Role, Project: p.Name, Modules: c.Modules, Session: req.Session}
		role := c.Who.Role
		if req.Name != string(roster.Unified) {
			role = brenner.Role(req.Name)
			standing.Role = role
		}
		in := c.Policies[role]
		standing.Reads, standing.Writes = in.Read, in.Write
		for _, section := range in.Sections {
			standing.Sections = append(standing.Sections, string(section))
		}
		if len(in.Modules) > 0 {
			standing.Modules = in.Modules
		}
		text := strings.TrimSpace(roster.Address(roster.Prompt(req.Name, own), c.Who.Name, req.Session))
		return api.RolePrompt{Name: req.Name, Own: ours, Text: text + "\n\n" + standing.Words()}, nil
	})
}

// Types implements api.Projects.
func (s *Service) Types(ctx context.Context, req api.TypesRequest) (api.TypesResult, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "types"), func(c *kernel.Call) (api.TypesResult, error) {
		builtin := map[brenner.TypeName]bool{}
		for _, t := range artifact.Builtin() {
			builtin[t.Name] = true
		}
		out := api.TypesResult{Types: []api.TypeInfo{}}
		all := c.Types.Types()
		if req.Name != "" {
			one, err := c.Types.Lookup(req.Name)
			if err != nil {
				return api.TypesResult{}, err
			}
			all = all[:0:0]
			all = append(all, one)
		}
		for _, t := range all {
			info := api.TypeInfo{
				Name: t.Name, Title: t.Title, Description: t.Description, Core: t.Core,
				Singleton: string(t.Singleton), Contextual: t.Contextual, Builtin: builtin[t.Name], Formats: t.Formats,
			}
			if req.Name != "" {
				info.Schema = t.Schema
			}
			out.Types = append(out.Types, info)
		}
		return out, nil
	})
}
