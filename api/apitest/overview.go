package apitest

import (
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

func overviewCases() []testCase {
	return []testCase{
		{"a snapshot is made from what is canonical", func(s *scene) { // C32
			s.pi.brief()
			s.pi.creates(result("counts", "nine of ten"))
			s.pi.creates(result("draft", "a draft nobody decided upon"))
			s.pi.promotes(ref("counts", 1))
			res, err := s.pi.Snapshot(s.ctx, api.SnapshotRequest{Format: "markdown"})
			s.must(err)
			if res.Brief == nil || res.Brief.Question != "What decides cell fate?" || len(res.Evidence) != 1 || res.Evidence[0].Ref != ref("counts", 1) {
				s.Errorf("snapshot: %+v", res.Snapshot)
			}
			if !strings.Contains(res.Rendered, "nine of ten") || strings.Contains(res.Rendered, "nobody decided") {
				s.Errorf("rendered: %s", res.Rendered)
			}
			_, err = s.pi.Snapshot(s.ctx, api.SnapshotRequest{Format: "pdf"})
			s.refused(err, brenner.CodeInvalidValue)
		}},
		{"a snapshot says what a check found, until that is settled", func(s *scene) { // C32, N1
			s.pi.briefs(fateBrief)
			s.pi.creates(spec("alone", "Fate is fixed, as everybody knows."))
			s.pi.promotes(ref("alone", 1))
			res := s.pi.aligns(api.CheckRequest{})
			snap := func() api.SnapshotResult {
				out, err := s.pi.Snapshot(s.ctx, api.SnapshotRequest{Format: "markdown"})
				s.must(err)
				return out
			}
			got := snap()
			if len(got.Findings) != 1 || got.Findings[0].Ref != ref("alone", 1) || got.Findings[0].Count != 2 || got.Findings[0].Text == "" {
				s.Errorf("findings: %+v", got.Findings)
			}
			if !strings.Contains(got.Rendered, "- a check found: alone@1: ") {
				s.Errorf("rendered: %s", got.Rendered)
			}
			for _, f := range res.Findings {
				_, err := s.pi.Deprecate(s.ctx, api.DecisionRequest{Ref: f.Critique, Reason: "everybody does"})
				s.must(err)
			}
			if got := snap(); len(got.Findings) != 0 || strings.Contains(got.Rendered, "a check found") {
				s.Errorf("settled, and still said: %+v", got.Findings)
			}
		}},
		{"status tells an agent of messages it has not read and of sessions that wait for its answer", func(s *scene) { // X5
			blue := s.agent("BlueLake")
			needs := func() string {
				res, err := blue.Status(s.ctx)
				s.must(err)
				var out []string
				for _, n := range res.Items {
					out = append(out, n.Kind+" "+n.Do.Command())
				}
				return strings.Join(out, ", ")
			}
			if got := needs(); got != "" {
				s.Errorf("before: %s", got)
			}
			id := s.pi.starts().ID
			answer := "answer brenner session show " + string(id)
			if got := needs(); got != "message brenner mail inbox, "+answer {
				s.Errorf("asked: %s", got)
			}
			for _, m := range blue.inbox() {
				blue.readsMail(m.ID)
			}
			if got := needs(); got != answer {
				s.Errorf("read: %s", got)
			}
			blue.submits(id, adds("lineage"))
			if got := needs(); got != "" {
				s.Errorf("answered: %s", got)
			}
		}},
		{"status tells an agent that nobody told anything of its tasks", func(s *scene) { // X5
			t := s.pi.opens()
			late := s.agent("GreyStone")
			need := func() string {
				res, err := late.Status(s.ctx)
				s.must(err)
				for _, n := range res.Items {
					if n.Kind == api.NeedWork {
						return n.What + ", " + n.Do.Command()
					}
				}
				return ""
			}
			if got, want := need(), "free for your role: "+t.ID+", brenner task claim "+t.ID; got != want {
				s.Errorf("an open task: %q, want %q", got, want)
			}
			late.claims(t.ID)
			if got, want := need(), "you hold "+t.ID+", brenner task show "+t.ID; got != want {
				s.Errorf("a task that it holds: %q, want %q", got, want)
			}
		}},
		{"status tells who leads of sessions that nobody has answered", func(s *scene) { // X5
			blue := s.agent("BlueLake")
			id := s.pi.starts().ID
			silent := func() []string {
				res, err := s.pi.Status(s.ctx)
				s.must(err)
				for _, n := range res.Items {
					if n.Kind == api.NeedSilence {
						return append(n.Names, n.Do.Command())
					}
				}
				return nil
			}
			if got := silent(); !slices.Equal(got, []string{string(id), "brenner session status " + string(id)}) {
				s.Errorf("asked: %q", got)
			}
			blue.submits(id, adds("lineage"))
			if got := silent(); got != nil {
				s.Errorf("answered: %q", got)
			}
		}},
		{"status says what needs the PI, with the command", func(s *scene) { // X5; X5.b, X5.d, X5.e
			kinds := func() []string {
				res, err := s.pi.Status(s.ctx)
				s.must(err)
				var out []string
				for _, n := range res.Items {
					if n.Count == 0 || n.What == "" || n.Do.Name == "" {
						s.Errorf("need %+v", n)
					}
					out = append(out, n.Kind)
				}
				return out
			}
			if got := kinds(); !slices.Equal(got, []string{"spine"}) {
				s.Errorf("an empty project needs %v", got)
			}
			s.pi.creates(result("data", "one"))
			s.pi.promotes(ref("data", 1))
			s.pi.creates(note("use", "of it", link(artifact.DependsOn, "data", 1)))
			s.pi.promotes(ref("use", 1))
			t := s.pi.opens(ref("data", 1))
			writer := s.agent("GreyStone")
			writer.claims(t.ID)
			req := section("methods", t.ID)
			req.Links = []artifact.Link{link(artifact.DependsOn, "data", 1)}
			writer.creates(req)
			writer.completes(t.ID)
			s.pi.rewrites("data", "two")
			s.pi.promotes(ref("data", 2))
			s.pi.rewritesOn(ref("data", 1), "another")
			for _, want := range []string{"fork", "stale", "promotion", "spine"} {
				if !slices.Contains(kinds(), want) {
					s.Errorf("status lacks %s: %v", want, kinds())
				}
			}
			// X5: each with names, how many there are, and the command that begins with the first.
			s.pi.creates(note("more", "of it", link(artifact.DependsOn, "data", 1)))
			s.pi.promotes(ref("more", 1))
			res, err := s.pi.Status(s.ctx)
			s.must(err)
			for _, n := range res.Items {
				switch n.Kind {
				case "stale":
					if n.Count != 2 || !slices.Equal(slices.Sorted(slices.Values(n.Names)), []string{"more@1", "use@1"}) ||
						!strings.HasPrefix(n.What, "rests on what has moved: ") || !strings.Contains(n.What, "use@1") || n.Do.Command() != "brenner inbox --kind stale" {
						s.Errorf("need %+v", n)
					}
				case "promotion":
					if n.Count != 1 || n.What != "to be decided upon: methods@1" || n.Do.Command() != "brenner review methods@1" {
						s.Errorf("need %+v", n)
					}
				case "fork":
					if n.Count != 1 || n.Do.Command() != "brenner forks" {
						s.Errorf("need %+v", n)
					}
				}
			}
		}},
	}
}
