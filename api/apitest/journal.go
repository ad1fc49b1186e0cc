package apitest

import (
	"io"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
)

func journalCases() []testCase {
	return []testCase{
		{"the journal records who did what", func(s *scene) { // J1
			s.pi.creates(note("n", "one"))
			last := s.size()
			page, err := s.pi.Records(s.ctx, api.RecordsRequest{After: last - 1})
			s.must(err)
			r := page.Records[0]
			if len(page.Records) != 1 || r.Seq != last || r.Kind != "version.written" || r.Actor == "" || r.Auth == "" || r.At.IsZero() ||
				strings.Contains(string(r.Payload), `"one"`) {
				s.Errorf("record: %+v", r)
			}
		}},
		{"the journal is searched by kind, actor, name and text", func(s *scene) { // J1
			s.pi.creates(note("n", "one"))
			s.pi.creates(note("nn", "other"))
			s.pi.promotes(ref("n", 1))
			s.pi.rewrites("n", "two")
			top := s.size()
			find := func(want []int64, req api.RecordsRequest) api.RecordList {
				page, err := s.pi.Records(s.ctx, req)
				s.must(err)
				got := []int64{}
				for _, r := range page.Records {
					got = append(got, r.Seq)
				}
				if !slices.Equal(got, want) {
					s.Errorf("%+v: records %v, want %v", req, got, want)
				}
				return page
			}
			find([]int64{top, top - 2, top - 3}, api.RecordsRequest{Kind: "version.written", Newest: true, After: top - 4})
			find([]int64{top - 3, top - 1, top}, api.RecordsRequest{About: "n"})
			find([]int64{top - 1}, api.RecordsRequest{About: "n", Kind: "status.decided"})
			find([]int64{}, api.RecordsRequest{Actor: "system"})
			_, err := s.pi.Records(s.ctx, api.RecordsRequest{Actor: "nobody"})
			s.refused(err, brenner.CodeNotFound)
			_, err = s.pi.Records(s.ctx, api.RecordsRequest{Kind: "version.writen"})
			s.refused(err, brenner.CodeInvalidValue)
			find([]int64{}, api.RecordsRequest{Text: `no such "text"`})
			// A page goes on where the one before it ended, in either order.
			page := find([]int64{top}, api.RecordsRequest{About: "n", Newest: true, Limit: 1})
			if !page.More {
				s.Errorf("%+v", page)
			}
			page = find([]int64{top - 1}, api.RecordsRequest{About: "n", Newest: true, Limit: 1, Before: page.Last})
			page = find([]int64{top - 3}, api.RecordsRequest{About: "n", Newest: true, Limit: 1, Before: page.Last})
			if page.More {
				page = find([]int64{}, api.RecordsRequest{About: "n", Newest: true, Limit: 1, Before: page.Last})
			}
			if page.More {
				s.Errorf("there is no end: %+v", page)
			}
			_, err = s.pi.Records(s.ctx, api.RecordsRequest{Before: -1})
			s.refused(err, brenner.CodeInvalidValue)
		}},
		{"verify passes on what was written and replay changes nothing", func(s *scene) { // J3, J4
			s.pi.creates(note("n", "one"))
			s.pi.rewrites("n", "two")
			s.pi.promotes(ref("n", 2))
			v, err := s.pi.Verify(s.ctx, api.VerifyRequest{})
			s.must(err)
			if !v.OK || v.Size != s.size() || v.Blobs != 2+6 { // contents, and texts of records
				s.Errorf("verify: %+v", v)
			}
			r, err := s.pi.Replay(s.ctx, api.ReplayRequest{})
			s.must(err)
			if !r.Same || r.After != v.Digest {
				s.Errorf("replay: %+v, verify: %+v", r, v)
			}
		}},
		{"a checkpoint holds while history only grows", func(s *scene) { // J2
			s.pi.creates(note("n", "one"))
			cp, err := s.pi.Checkpoint(s.ctx)
			s.must(err)
			s.pi.rewrites("n", "two")
			v, err := s.pi.Verify(s.ctx, api.VerifyRequest{Checkpoints: []string{cp.Note}, PublicKey: cp.PublicKey})
			s.must(err)
			if !v.OK || v.Checkpoints != 1 {
				s.Errorf("verify: %+v", v)
			}
			_, err = s.pi.Verify(s.ctx, api.VerifyRequest{Checkpoints: []string{strings.Replace(cp.Note, "brenner/", "brenner/x", 1)}})
			s.refused(err, brenner.CodeCheckpointInvalid)
		}},
		{"redaction removes the bytes and verify says so", func(s *scene) { // J6
			s.pi.creates(note("n", "a secret about zebrafish"))
			s.unchanged(func() {
				_, err := s.pi.Redact(s.ctx, api.RedactRequest{Ref: ref("n", 1)})
				s.refused(err, brenner.CodeReasonRequired)
				_, err = s.pi.Redact(s.ctx, api.RedactRequest{Ref: ref("n", 7), Reason: "x"})
				s.refused(err, brenner.CodeNotFound)
			})
			res, err := s.pi.Redact(s.ctx, api.RedactRequest{Ref: ref("n", 1), Reason: "leaked"})
			s.must(err)
			_, err = s.pi.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("n", 1)})
			s.refused(err, brenner.CodeRedacted)
			hits, err := s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: "secret"})
			s.must(err)
			if len(hits.Items) != 1 { // the summary still says so; it is part of the journal
				s.Errorf("hits: %+v", hits.Items)
			}
			v, err := s.pi.Verify(s.ctx, api.VerifyRequest{})
			s.must(err)
			if !v.OK || len(v.Redacted) != 1 || v.Redacted[0] != res.Digest {
				s.Errorf("verify: %+v", v)
			}
		}},
		{"an export holds every record and content", func(s *scene) { // J5
			s.pi.creates(note("n", "one"))
			var out strings.Builder
			res, err := s.pi.Export(s.ctx, &out)
			s.must(err)
			if res.Records != s.size() || res.Blobs != 1+2 || strings.Count(out.String(), "\n") != int(res.Records+res.Blobs)+2 {
				s.Errorf("export: %+v", res)
			}
			if _, err := s.pi.Export(s.ctx, brokenWriter{}); err == nil {
				s.Error("a failing writer went unnoticed")
			}
		}},
		{"a configuration is in force once it is applied", func(s *scene) { // C4
			s.pi.creates(note("only", "one of a module that nobody declares any more"))
			dropped, err := s.pi.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: "modules: [elsewhere]\n"}})
			s.must(err)
			if !slices.Contains(dropped.Alters, "drops module lineage: what it has stays (1), and nothing new can be put there") {
				s.Errorf("without its module: %q", dropped.Alters)
			}
			file := api.ConfigFile{Name: ".brennerrc", Data: Config + "\ncompression_threshold: 3\n"}
			res, err := s.pi.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: file})
			s.must(err)
			if !res.Changed || len(res.Modules) != 2 {
				s.Errorf("apply: %+v", res)
			}
			s.unchanged(func() {
				again, err := s.pi.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: file})
				s.must(err)
				if again.Changed {
					s.Error("the same configuration counted as a change")
				}
				file.Data = "modules: [a\n"
				_, err = s.pi.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: file})
				s.refused(err, brenner.CodeInvalidConfig)
				file.Data = "types: [{name: paper_note, title: mine}]\n"
				_, err = s.pi.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: file})
				s.refused(err, brenner.CodeInvalidConfig)
			})
		}},
	}
}

// brokenWriter fails like a full disk.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
