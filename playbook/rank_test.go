package playbook

import (
	"testing"

	"brenner"
)

func rankedIDs(t *testing.T, d *desk, o RankOptions) (out []BulletID) {
	t.Helper()
	got, err := d.book.Rank(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		out = append(out, r.Bullet.ID)
	}
	return out
}

func TestRank_TrustEvidenceAndSimilarityInTheirWeights(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "a", 1), says(Harmful, "b", 0), says(Neutral, "c", -1), says(Helpful, "e", 0.7))
	for range 9 {
		d.learns(says(Harmful, "b", 0))
	}
	d.did(d.book.ForceStage("prompts.1", Staging, d.act(person)))
	d.did(d.book.ForceStage("prompts.2", Staging, d.act(person)))
	d.did(d.book.ForceStage("prompts.3", Prod, d.act(person)))

	check := func(name string, o RankOptions, want ...BulletID) {
		t.Helper()
		got := rankedIDs(t, d, o)
		if len(got) != len(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
			return
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: %v, want %v", name, got, want)
				return
			}
		}
	}
	// Ten for and none against in STAGING outweigh one for in PROD.
	check("by evidence and trust", RankOptions{}, "prompts.2", "prompts.3", "prompts.1")
	check("near the task", RankOptions{Query: at(1)}, "prompts.1", "prompts.2", "prompts.3")
	check("the best", RankOptions{Most: 1}, "prompts.2")
	check("one section", RankOptions{Sections: []Section{Harmful}}, "prompts.2")
	check("shadow if asked", RankOptions{Stages: []Stage{Shadow}}, "prompts.4")

	// B6: what is quarantined reaches no context, even if asked for.
	d.learns(says(Harmful, "a", 1))
	check("quarantined", RankOptions{Stages: []Stage{Quarantined, Retired, Prod, Staging}}, "prompts.2", "prompts.3")

	_, err := d.book.Rank(RankOptions{Query: []float32{1}})
	wantCode(t, err, brenner.CodeInvalidVector)
}

func TestRank_TiesGoToTheOldest(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "a", 1), says(Helpful, "b", 0))
	got := rankedIDs(t, d, RankOptions{Stages: []Stage{Shadow}})
	if len(got) != 2 || got[0] != "prompts.1" {
		t.Errorf("got %v", got)
	}
}

func TestWilson_MoreEvidenceCountsForMore(t *testing.T) {
	for _, c := range [][4]int{{5, 0, 1, 0}, {50, 1, 5, 0}, {5, 0, 5, 1}, {1, 0, 0, 0}} {
		if more, less := wilson(c[0], c[1]), wilson(c[2], c[3]); more <= less {
			t.Errorf("%v: %f and %f", c, more, less)
		}
	}
}

// B6: support counts as the lower end of the 95 % interval, and a stage as how
// far it is trusted.
func TestWilson_IsTheLowerEndOfTheInterval(t *testing.T) {
	for _, c := range []struct {
		support, opposition int
		want                float64
	}{{0, 0, 0}, {0, 4, 0}, {1, 0, 0.2065}, {5, 0, 0.5655}, {3, 2, 0.2307}, {50, 1, 0.8970}} {
		if got := wilson(c.support, c.opposition); got < c.want-0.0001 || got > c.want+0.0001 {
			t.Errorf("%d for and %d against: %.4f, want %.4f", c.support, c.opposition, got, c.want)
		}
	}
	for stage, want := range map[Stage]float64{Prod: 1, Staging: 0.5, Shadow: 0} {
		if got := trust(stage); got != want {
			t.Errorf("%s is trusted %g", stage, got)
		}
	}
}
