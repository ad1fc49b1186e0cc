package runner

import (
	"os"
	"path/filepath"

	"brenner"
	"brenner/api"
	"brenner/canon"
)

// seenName is the file in the directory of a run that says what it does, for
// other processes of this machine: the page of a server, a second terminal.
const seenName = "now.json"

// sighting is what that file holds. Two projects have runs of one name, but no
// two of them one runner.
type sighting struct {
	Runner string      `json:"runner"`
	Beat   api.RunBeat `json:"beat"`
}

// tell writes down what the run does, if that is news.
func (f *runFile) tell(b api.RunBeat) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b.Tail == "" {
		b.Tail = f.said.Tail
	}
	if b == f.said {
		return
	}
	f.said = b
	path := filepath.Join(f.dir, seenName)
	if f.save(path+".new", canon.MustMarshal(sighting{Name(f.trace.Runner), b}), 0o600) == nil {
		_ = os.Rename(path+".new", path)
	}
}

// Seen says what a run does whose runner is a process of this machine and keeps
// its things in a directory.
func Seen(state string) func(api.RunInfo) (api.RunBeat, bool) {
	return func(run api.RunInfo) (api.RunBeat, bool) {
		files, _ := filepath.Glob(filepath.Join(state, run.ID+"-*", seenName))
		for _, name := range files {
			raw, err := os.ReadFile(name)
			var s sighting
			if err == nil && len(raw) <= 16*brenner.MaxRunTail && canon.Unmarshal(raw, &s) == nil && s.Runner == run.Runner {
				return s.Beat, true
			}
		}
		return api.RunBeat{}, false
	}
}
