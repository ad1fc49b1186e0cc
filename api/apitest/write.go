package apitest

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

func writeCases() []testCase {
	return []testCase{
		{"a part of a text is read by its number", func(s *scene) { // C33
			s.pi.creates(api.CreateArtifactRequest{ID: "log", Type: "analysis_result", Module: "lineage", Summary: "a log", Content: api.Body{
				Format: artifact.Text, Data: "# Log\n\n## .1 Rates\nten\n\n## .2 Remedies\nnone\n",
			}})
			ref := brenner.Ref{Artifact: "log", Version: 1}
			v, err := s.pi.Artifact(s.ctx, api.ArtifactRequest{Ref: ref, Part: ".1"})
			s.must(err)
			if v.Text != "## .1 Rates\nten\n\n" || v.Content != nil || !v.Ends || v.NextOffset == 0 {
				s.Errorf("%+v", v)
			}
			if v, err = s.pi.Artifact(s.ctx, api.ArtifactRequest{Ref: ref, Part: "2"}); err != nil || v.Text != "## .2 Remedies\nnone\n" || v.NextOffset != 0 {
				s.Errorf("%+v, %v", v, err)
			}
			for _, part := range []string{"3", "x", ".", strings.Repeat("9", 1000)} {
				_, err = s.pi.Artifact(s.ctx, api.ArtifactRequest{Ref: ref, Part: part})
				s.refused(err, brenner.CodeNotFound)
			}
			_, err = s.pi.Artifact(s.ctx, api.ArtifactRequest{Ref: ref, Part: "1", Offset: 3})
			s.refused(err, brenner.CodeInvalidValue)
		}},
		{"a new artifact is a draft with every required field", func(s *scene) { // C5
			blue := s.reader("PurpleMountain")
			res := s.pi.creates(api.CreateArtifactRequest{
				Type: "paper_note", Module: "lineage", Summary: "nine of ten clones", Tags: []string{"clones"},
				Content: api.Body{Format: artifact.JSON, Data: `{"title":"Smith 2024","claims":["fate follows lineage"]}`},
			})
			v := blue.reads(res.Ref)
			if v.ID == "" || v.Type != "paper_note" || v.Version.Version != 1 || v.Parent != nil || v.Status != artifact.Draft ||
				v.Module != "lineage" || v.Summary != "nine of ten clones" || v.Content == nil || v.Metadata.Creator == "" ||
				v.Metadata.CreatedAt.IsZero() || v.Metadata.UpdatedAt.IsZero() || !slices.Equal(v.Metadata.Tags, []string{"clones"}) {
				s.Errorf("a field is missing: %+v", v)
			}
			if string(v.Content) != `{"claims":["fate follows lineage"],"title":"Smith 2024"}` {
				s.Errorf("content is not canonical JSON: %s", v.Content)
			}
		}},
		{"an update is a new version and the old one stays", func(s *scene) { // C13
			s.pi.creates(note("n", "one"))
			res := s.pi.rewrites("n", "two")
			if res.Ref != ref("n", 2) || res.Status != artifact.Draft || res.Fork != nil {
				s.Errorf("got %+v", res)
			}
			if v := s.pi.reads(ref("n", 1)); string(v.Content) != `"one"` {
				s.Errorf("version 1 changed: %s", v.Content)
			}
			if v := s.pi.reads(ref("n", 2)); string(v.Content) != `"two"` || *v.Parent != 1 {
				s.Errorf("version 2: %+v", v)
			}
		}},
		{"an update on a parent that moved is an alternative and a fork", func(s *scene) { // C13, C19; C13.b
			s.pi.creates(note("n", "one"))
			s.pi.rewrites("n", "two")
			res := s.pi.rewritesOn(ref("n", 1), "another two")
			if res.Status != artifact.Alternative || !slices.Equal(res.Fork, []brenner.Ref{ref("n", 2), ref("n", 3)}) {
				s.Errorf("got %+v", res)
			}
			forks, err := s.pi.Forks(s.ctx)
			s.must(err)
			if len(forks.Forks) != 1 || forks.Forks[0].Artifact != "n" || len(forks.Forks[0].Heads) != 2 {
				s.Errorf("forks: %+v", forks)
			}
			if v := s.pi.reads(ref("n", 0)); v.Version.Version != 2 {
				s.Errorf("the head moved to %d", v.Version.Version)
			}
		}},
		{"an expected head that moved is refused", func(s *scene) { // C13; C13.c
			s.pi.creates(note("n", "one"))
			s.pi.rewrites("n", "two")
			s.unchanged(func() {
				summary := "three"
				_, err := s.pi.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{ID: "n", Expect: 1, Summary: &summary})
				s.refused(err, brenner.CodeConflictHead)
			})
		}},
		{"a merge ends a fork by superseding the other head", func(s *scene) { // C19
			s.pi.creates(note("n", "one"))
			s.pi.rewrites("n", "two")
			s.pi.rewritesOn(ref("n", 1), "another two")
			res := s.pi.rewrites("n", "both", link(artifact.Supersedes, "n", 3))
			if res.Fork != nil {
				s.Errorf("still a fork: %v", res.Fork)
			}
			if v := s.pi.reads(ref("n", 3)); v.Status != artifact.Superseded {
				s.Errorf("the merged head is %s", v.Status)
			}
		}},
		{"new content with the old summary is refused unless it holds", func(s *scene) { // C11
			s.pi.creates(note("n", "one"))
			req := api.UpdateArtifactRequest{ID: "n", Content: &api.Body{Format: artifact.Text, Data: "two"}}
			s.unchanged(func() {
				_, err := s.pi.UpdateArtifact(s.ctx, req)
				s.refused(err, brenner.CodeSummaryStale)
			})
			req.SummaryHolds = true
			_, err := s.pi.UpdateArtifact(s.ctx, req)
			s.must(err)
		}},
		{"a summary is required and short", func(s *scene) { // C11
			for _, bad := range []string{"", " \n", strings.Repeat("x", brenner.MaxSummaryRunes+1)} {
				req := note("n", "one")
				req.Summary = bad
				s.unchanged(func() {
					_, err := s.pi.CreateArtifact(s.ctx, req)
					s.refused(err, brenner.CodeSummaryInvalid)
				})
			}
		}},
		{"a core type needs a change note", func(s *scene) { // C15
			s.pi.creates(api.CreateArtifactRequest{
				ID: "m", Type: "model_spec", Module: "lineage", Summary: "a model",
				Content: api.Body{Format: artifact.Text, Data: "x = 1"},
			})
			summary := "another model"
			req := api.UpdateArtifactRequest{ID: "m", Summary: &summary, Content: &api.Body{Format: artifact.Text, Data: "x = 2"}}
			s.unchanged(func() {
				_, err := s.pi.UpdateArtifact(s.ctx, req)
				s.refused(err, brenner.CodeChangeNoteRequired)
			})
			req.Change = &artifact.Change{What: "x", Why: "measured"}
			_, err := s.pi.UpdateArtifact(s.ctx, req)
			s.must(err)
		}},
		{"bad input is refused with its place and nothing is written", func(s *scene) { // C4, C5, X3
			s.pi.creates(note("n", "one"))
			for _, c := range []struct {
				why  string
				code brenner.Code
				edit func(*api.CreateArtifactRequest)
			}{
				{"unknown type", brenner.CodeUnknownType, func(r *api.CreateArtifactRequest) { r.Type = "papernote" }},
				{"unknown module", brenner.CodeUnknownModule, func(r *api.CreateArtifactRequest) { r.Module = "nowhere" }},
				{"no module where there are several", brenner.CodeUnknownModule, func(r *api.CreateArtifactRequest) { r.Module = "" }},
				{"bad id", brenner.CodeInvalidID, func(r *api.CreateArtifactRequest) { r.ID = "../etc" }},
				{"taken id", brenner.CodeAlreadyExists, func(r *api.CreateArtifactRequest) { r.ID = "n" }},
				{"schema", brenner.CodeSchemaViolation, func(r *api.CreateArtifactRequest) {
					r.Type, r.Content = "protocol", api.Body{Format: artifact.JSON, Data: `{"steps":[1]}`}
				}},
				{"broken JSON", brenner.CodeInvalidJSON, func(r *api.CreateArtifactRequest) {
					r.Content = api.Body{Format: artifact.JSON, Data: `{"a":1,"a":2}`}
				}},
				{"NUL", brenner.CodeInvalidText, func(r *api.CreateArtifactRequest) { r.Content.Data = "a\x00b" }},
				{"too large", brenner.CodeLimitExceeded, func(r *api.CreateArtifactRequest) {
					r.Content.Data = strings.Repeat("x", brenner.MaxContentBytes+1)
				}},
				{"link to nothing", brenner.CodeInvalidLink, func(r *api.CreateArtifactRequest) {
					r.Links = []artifact.Link{link(artifact.Cites, "ghost", 1)}
				}},
				{"link to a version that is not there", brenner.CodeInvalidLink, func(r *api.CreateArtifactRequest) {
					r.Links = []artifact.Link{link(artifact.Cites, "n", 2)}
				}},
				{"unknown relation", brenner.CodeInvalidLink, func(r *api.CreateArtifactRequest) {
					r.Links = []artifact.Link{link("likes", "n", 1)}
				}},
			} {
				req := note("new", "text")
				c.edit(&req)
				s.unchanged(func() {
					_, err := s.pi.CreateArtifact(s.ctx, req)
					e := s.refused(err, c.code)
					if c.code == brenner.CodeSchemaViolation && e.Pointer != "/steps/0" {
						s.Errorf("%s: pointer %q", c.why, e.Pointer)
					}
				})
			}
		}},
		{"a parent must be a version of the artifact", func(s *scene) { // C13
			s.pi.creates(note("n", "one"))
			summary := "two"
			s.unchanged(func() {
				_, err := s.pi.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{ID: "n", Parent: 2, Summary: &summary})
				s.refused(err, brenner.CodeInvalidParent)
				_, err = s.pi.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{ID: "ghost", Summary: &summary})
				s.refused(err, brenner.CodeNotFound)
			})
		}},
		{"an idempotency key gives the first result again", func(s *scene) { // X2; X2.a
			req := note("", "one")
			req.Key = "k1"
			one := s.pi.creates(req)
			s.unchanged(func() {
				if again := s.pi.creates(req); again.Ref != one.Ref || again.Seq != one.Seq {
					s.Errorf("got %+v, then %+v", one, again)
				}
				req.Summary = "something else"
				_, err := s.pi.CreateArtifact(s.ctx, req)
				s.refused(err, brenner.CodeIdempotencyReused)
			})
			// Another actor's keys are its own.
			req.Type, req.Summary = "paper_note", "mine"
			if other := s.agent("WhiteFox").creates(req); other.Ref == one.Ref {
				s.Errorf("a key of another actor gave %v", other.Ref)
			}
		}},
		{"links without a version point at the one in force", func(s *scene) { // C6
			s.pi.creates(note("n", "one"))
			s.pi.promotes(ref("n", 1))
			s.pi.rewrites("n", "two")
			s.pi.creates(note("m", "rests", link(artifact.DependsOn, "n", 0)))
			if v := s.pi.reads(ref("m", 1)); len(v.Links) != 1 || v.Links[0].Version != 1 {
				s.Errorf("links: %+v", v.Links)
			}
		}},
		{"a link can be added once", func(s *scene) { // C6
			s.pi.creates(note("n", "one"))
			s.pi.creates(note("m", "two"))
			req := api.LinkRequest{From: ref("m", 1), Link: link(artifact.Contradicts, "n", 1)}
			_, err := s.pi.Link(s.ctx, req)
			s.must(err)
			s.unchanged(func() {
				_, err = s.pi.Link(s.ctx, req)
				s.refused(err, brenner.CodeAlreadyExists)
				_, err = s.pi.Link(s.ctx, api.LinkRequest{From: ref("m", 1), Link: link(artifact.Cites, "m", 1)})
				s.refused(err, brenner.CodeInvalidLink)
			})
		}},
		{"diff gives notes, fields and hunks", func(s *scene) { // C15
			s.pi.creates(note("n", "a\nb\nc\n"))
			s.pi.rewrites("n", "a\nB\nc\n")
			s.pi.rewrites("n", "a\nB\nC\n")
			d, err := s.pi.Diff(s.ctx, api.DiffRequest{From: ref("n", 1), To: ref("n", 3)})
			s.must(err)
			if len(d.Notes) != 2 || d.Notes[0].Change.Why != "a better one" {
				s.Errorf("notes: %+v", d.Notes)
			}
			if text := d.Text(); !strings.Contains(text, "-b") || !strings.Contains(text, "+C") {
				s.Errorf("text: %s", text)
			}
			_, err = s.pi.Diff(s.ctx, api.DiffRequest{From: ref("n", 1), To: ref("m", 1)})
			s.refused(err, brenner.CodeInvalidValue)
		}},
		// C21, C33. A search understands beginnings, phrases, conditions and slips, finds
		// drafts, and shows the words it found.
		{"a search is understood", func(s *scene) {
			titled := func(id brenner.ArtifactID, summary, text string) api.CreateArtifactRequest {
				n := note(id, text)
				n.Summary = summary
				return n
			}
			long := strings.Repeat("Filler stands here and says little. ", 20)
			first := s.pi.creates(titled("catalase", "Enzymes of the liver", long+"Catalase breaks down peroxide at a rate of decay that falls. "+long))
			s.pi.creates(titled("catalyst", "Catalysts in general", long+"The decay of platinum, at some rate."))
			s.pi.creates(api.CreateArtifactRequest{
				ID: "stain", Type: "protocol", Module: "gradient", Summary: "steps", Tags: []string{"wet"},
				Content: api.Body{Format: artifact.JSON, Data: `{"steps":["stain with catalase"]}`},
			})
			s.pi.promotes(first.Ref)
			_, err := s.pi.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{
				ID: "catalase", Parent: 1, SummaryHolds: true, Content: &api.Body{Format: artifact.Text, Data: long + "Superoxide dismutase helps catalase."},
				Change: &artifact.Change{What: "more", Why: "asked"},
			})
			s.must(err)
			for text, want := range inOrder(map[string]string{
				"catalase":                     "catalase@1 stain@1",
				"catal*":                       "catalase@1 catalyst@1 stain@1",
				"dismutase":                    "catalase@2",
				`"rate of decay"`:              "catalase@1",
				`"decay of" platinum`:          "catalyst@1",
				`"of decay rate"`:              "",
				"catalase type:protocol":       "stain@1",
				"catalase module:gradient":     "stain@1",
				"catalase tag:wet":             "stain@1",
				"catalase state:canonical":     "catalase@1",
				"catalase author:ada":          "catalase@1 stain@1",
				"catalase author:GreyStone":    "",
				"catalase since:1h":            "catalase@1 stain@1",
				"catalase since:2999-01-01":    "",
				"catalaze":                     "catalase@1 stain@1",
				"platinm":                      "catalyst@1",
				"type:protocol":                "stain@1",
				"author:ada type:paper_note":   "catalase@1 catalyst@1",
				"author:GreyStone":             "",
				"state:canonical":              "catalase@1",
				"since:2999-01-01":             "",
				"tag:wet since:1h":             "stain@1",
				"":                             "",
				"superoxide state:canonical":   "",
				"superoxide statuses:draft":    "catalase@2",
				"state:draft types:paper_note": "catalase@2 catalyst@1",
				"superoxide state:superseded":  "",
				`catal* "superoxide"`:          "catalase@2",
				"catalase state:draft tag:wet": "stain@1",
			}) {
				hits, err := s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: text})
				s.must(err)
				var got []string
				for _, h := range hits.Items {
					got = append(got, h.Ref().String())
					if h.Draft != (h.Found == 2) {
						s.Errorf("%s: %s is a draft: %v", text, h.Ref(), h.Draft)
					}
					if (h.Status == artifact.Canonical) != (h.Ref() == ref("catalase", 1)) {
						s.Errorf("%s: %s is %s", text, h.Ref(), h.Status)
					}
				}
				slices.Sort(got)
				if strings.Join(got, " ") != want {
					s.Errorf("%s: found %q, want %q", text, got, want)
				}
			}
			hits, err := s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: "peroxides catalaze"})
			s.must(err)
			if len(hits.Items) == 0 || !strings.Contains(hits.Items[0].Snippet, "Catalase breaks down peroxide") || len(hits.Items[0].Snippet) > 300 ||
				strings.Join(hits.Items[0].Marked, " ") != "Catalase peroxide" {
				s.Errorf("hits: %+v", hits.Items)
			}
			if len(hits.Spelled) != 1 || hits.Spelled[0] != (api.Spelled{Word: "catalaze", As: "catalase"}) {
				s.Errorf("read as: %+v", hits.Spelled)
			}
			unread, err := s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{
				Text: "catalase by:ada TODO: http://x.org", Statuses: []artifact.Status{artifact.Draft, artifact.Superseded, artifact.Alternative},
			})
			s.must(err)
			if !slices.Equal(unread.AsText, []string{"by:ada"}) || !slices.Equal(unread.Unsearched, []artifact.Status{artifact.Superseded, artifact.Alternative}) {
				s.Errorf("not applied: %+v", unread.Coverage)
			}
			for _, text := range []string{"x type:papernote", "x module:nowhere"} {
				_, err := s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: text})
				var refused *brenner.Error
				if !errors.As(err, &refused) || refused.Pointer != "/text" || slices.ContainsFunc(refused.Actions, brenner.Action.Repeats) {
					s.Errorf("%s: %+v", text, refused)
				}
			}
			for _, text := range []string{"x type:papernote", "x state:done", "x since:yesterday", "x since:99999999d"} {
				_, err := s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: text})
				if err == nil {
					s.Errorf("%s is not refused", text)
				}
			}
		}},
		{"lists are paged, filtered and searched", func(s *scene) {
			for _, id := range []brenner.ArtifactID{"a", "b", "c", "D", "e"} {
				s.pi.creates(note(id, "text about zebrafish "+string(id)))
			}
			s.pi.creates(api.CreateArtifactRequest{
				ID: "p", Type: "protocol", Module: "gradient", Summary: "steps", Tags: []string{"wet"},
				Content: api.Body{Format: artifact.JSON, Data: `{"steps":["stain the embryos"]}`},
			})
			for sort, want := range inOrder(map[api.ArtifactSort]string{"": "D a b c e", api.SortID: "D a b c e", api.SortUpdated: "e D c b a"}) { // byte order (J5)
				var got []string
				req := api.ListArtifactsRequest{Page: api.Page{Limit: 2}, Types: []brenner.TypeName{"paper_note"}, Sort: sort, Total: true}
				for range 10 {
					page, err := s.pi.Artifacts(s.ctx, req)
					s.must(err)
					for _, i := range page.Items {
						got = append(got, string(i.ID))
					}
					if page.Total != 5 {
						s.Errorf("%d of them are counted", page.Total)
					}
					if req.Cursor = page.Cursor; req.Cursor == "" {
						break
					}
				}
				if strings.Join(got, " ") != want {
					s.Errorf("pages by %q gave %v", sort, got)
				}
			}
			_, err := s.pi.Artifacts(s.ctx, api.ListArtifactsRequest{Sort: "beauty"})
			s.refused(err, brenner.CodeInvalidValue)
			tagged, err := s.pi.Artifacts(s.ctx, api.ListArtifactsRequest{Tag: "wet", Modules: []brenner.Module{"gradient"}})
			s.must(err)
			if len(tagged.Items) != 1 || tagged.Items[0].ID != "p" {
				s.Errorf("tagged: %+v", tagged.Items)
			}
			hits, err := s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: "staining embryo"})
			s.must(err)
			if len(hits.Items) != 1 || hits.Items[0].ID != "p" {
				s.Errorf("hits: %+v", hits.Items)
			}
			for want, req := range inOrder(map[int]api.SearchArtifactsRequest{
				1: {Text: "staining embryo", Statuses: []artifact.Status{artifact.Draft}, Tag: "wet"},
				0: {Text: "staining embryo", Statuses: []artifact.Status{artifact.Canonical}},
			}) {
				narrowed, err := s.pi.SearchArtifacts(s.ctx, req)
				s.must(err)
				if len(narrowed.Items) != want {
					s.Errorf("%+v: %+v", req, narrowed.Items)
				}
			}
			_, err = s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: "embryo", Statuses: []artifact.Status{"done"}})
			s.refused(err, brenner.CodeInvalidValue)
			_, err = s.pi.Artifacts(s.ctx, api.ListArtifactsRequest{Page: api.Page{Cursor: "!"}})
			s.refused(err, brenner.CodeInvalidCursor)
			below := base64.RawURLEncoding.EncodeToString([]byte("-1")) // where no listing starts
			_, err = s.pi.Stale(s.ctx, api.StaleRequest{Page: api.Page{Cursor: below}})
			s.refused(err, brenner.CodeInvalidCursor)
			_, err = s.pi.History(s.ctx, api.HistoryRequest{ID: "a", Page: api.Page{Cursor: below}})
			s.refused(err, brenner.CodeInvalidCursor)
			_, err = s.pi.Artifacts(s.ctx, api.ListArtifactsRequest{Page: api.Page{Limit: brenner.MaxPage + 1}})
			s.refused(err, brenner.CodeLimitExceeded)
			_, err = s.pi.Artifacts(s.ctx, api.ListArtifactsRequest{Statuses: []artifact.Status{"done"}})
			s.refused(err, brenner.CodeInvalidValue)
		}},
	}
}
