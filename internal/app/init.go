package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/config"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// Init makes a project in an empty store, led by the person named.
func (a *App) Init(ctx context.Context, req api.InitRequest) (api.ProjectInfo, error) {
	if err := checkInit(req); err != nil {
		return api.ProjectInfo{}, err
	}
	var raw [8]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return api.ProjectInfo{}, err
	}
	id := brenner.ProjectID("p-" + hex.EncodeToString(raw[:]))
	now := journal.Instant(a.clock())
	err := a.store.Write(ctx, func(tx store.Tx) error {
		if err := tx.Init(ctx, store.Project{ID: id, Name: req.Name, At: now}); err != nil {
			return err
		}
		ch := &change{
			call: &call{
				Reader: tx, ctx: ctx, app: a, now: now, decided: true,
				who:   Identity{Name: req.PI, Auth: AuthOwner},
				actor: store.Actor{Name: req.PI, Kind: kindPerson, Role: brenner.PI, Active: true},
			},
			tx: tx,
		}
		if _, err := ch.append(kindProjectCreated, projectCreated{ID: id, Name: req.Name, PI: req.PI}); err != nil {
			return err
		}
		if req.Config != nil {
			if _, err := ch.applyConfig(*req.Config, ""); err != nil {
				return err
			}
		}
		return ch.commit("", "", nil)
	})
	if err != nil {
		return api.ProjectInfo{}, err
	}
	return a.As(Identity{Name: req.PI, Auth: AuthOwner}).Project(ctx)
}

func checkInit(req api.InitRequest) error {
	if err := req.PI.Check(); err != nil {
		return err
	}
	if err := checkText(req.Name); err != nil {
		return err
	}
	if strings.TrimSpace(req.Name) == "" || utf8.RuneCountInString(req.Name) > 128 {
		return brenner.Errorf(brenner.CodeInvalidValue, "a project needs a name of 1–128 characters").At("/name")
	}
	return nil
}

// configApplied says that a configuration was put in force.
type configApplied struct {
	File   string         `json:"file"`
	Digest brenner.Digest `json:"digest"`
	Config config.Config  `json:"config"`
}

// ApplyConfig implements api.Projects.
func (s *service) ApplyConfig(ctx context.Context, req api.ApplyConfigRequest) (api.ApplyConfigResult, error) {
	return write(ctx, s, "config.apply", req.Write, req, func(ch *change) (api.ApplyConfigResult, error) {
		if err := ch.allow(policy.Admin, "", "", "configuration"); err != nil {
			return api.ApplyConfigResult{}, err
		}
		return ch.applyConfig(req.File, ch.digest)
	})
}

// applyConfig puts a configuration in force unless it is already.
func (ch *change) applyConfig(f api.ConfigFile, inForce brenner.Digest) (api.ApplyConfigResult, error) {
	c, err := parseConfig(f)
	if err != nil {
		return api.ApplyConfigResult{}, err
	}
	digest := c.Digest()
	next, err := newSettings(c, digest)
	if err != nil {
		return api.ApplyConfigResult{}, err
	}
	out := api.ApplyConfigResult{Digest: digest, Modules: next.modules}
	for _, t := range c.Types {
		out.Types = append(out.Types, t.Name)
	}
	if digest == inForce {
		return out, nil
	}
	out.Changed = true
	out.Seq, err = ch.append(kindConfigApplied, configApplied{File: f.Name, Digest: digest, Config: c})
	return out, err
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
		if err := checkText(text); err != nil {
			return c, err
		}
	}
	return c.WithPromptFiles(f.Prompts), nil
}

// Project implements api.Projects.
func (s *service) Project(ctx context.Context) (api.ProjectInfo, error) {
	return view(ctx, s, func(c *call) (api.ProjectInfo, error) {
		if err := c.allow(policy.Status, "", "", "project"); err != nil {
			return api.ProjectInfo{}, err
		}
		p, err := c.Reader.Project(ctx)
		if err != nil {
			return api.ProjectInfo{}, err
		}
		out := api.ProjectInfo{
			ID: p.ID, Name: p.Name, Actor: c.actor.Name, Role: c.actor.Role, Person: c.actor.Kind == kindPerson,
			Modules: c.modules, ConfigDigest: c.digest, Now: c.now,
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

// Types implements api.Projects.
func (s *service) Types(ctx context.Context, req api.TypesRequest) (api.TypesResult, error) {
	return view(ctx, s, func(c *call) (api.TypesResult, error) {
		if err := c.allow(policy.Status, "", "", "types"); err != nil {
			return api.TypesResult{}, err
		}
		builtin := map[brenner.TypeName]bool{}
		for _, t := range artifact.Builtin() {
			builtin[t.Name] = true
		}
		out := api.TypesResult{Types: []api.TypeInfo{}}
		all := c.types.Types()
		if req.Name != "" {
			one, err := c.types.Lookup(req.Name)
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
