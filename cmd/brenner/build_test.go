package main

import (
	"runtime/debug"
	"testing"

	"brenner/internal/cli"
)

// A program says which commit it was built from, by the checkout or by what the
// release told it, and nothing that it does not know.
func TestBuilt_SaysWhereItComesFrom(t *testing.T) {
	checkout := func(module string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: module}, Settings: settings}
	}
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}
	cases := map[string]struct {
		info  *debug.BuildInfo
		name  string
		built cli.Build
	}{
		"nothing known": {nil, "dev", cli.Build{}},
		"no checkout":   {checkout("(devel)"), "dev", cli.Build{}},
		"a checkout":    {checkout("(devel)", vcs...), "dev", cli.Build{Commit: "abc", Date: "2026-01-02T03:04:05Z", Modified: true}},
		"a version":     {checkout("v1.2.3", vcs[:2]...), "v1.2.3", cli.Build{Commit: "abc", Date: "2026-01-02T03:04:05Z"}},
	}
	for name, c := range cases {
		if v, b := built(c.info); v != c.name || b != c.built {
			t.Errorf("%s: %s, %+v", name, v, b)
		}
	}
	commit, date = "def", "2026-05-06T07:08:09Z"
	t.Cleanup(func() { commit, date = "", "" })
	if _, b := built(checkout("(devel)", vcs[:2]...)); b != (cli.Build{Commit: "def", Date: "2026-05-06T07:08:09Z"}) {
		t.Errorf("a release says %+v", b)
	}
}
