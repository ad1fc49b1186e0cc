package tasks

import (
	"fmt"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
)

// What makes two pieces of work alike: how many words both use, and how large a
// part of the shorter one's that is, in what they are called or in all they say.
const (
	titleWords, titlePart = 3, 0.5
	allWords, allPart     = 5, 0.25

	alikeLooked = 200 // of the newest tasks
	alikeMost   = 3   // are named
	alikeSpec   = 300 // characters of what is asked
)

// alike finds the unfinished tasks that ask for much the same as a new one, and
// tells those who are at them or asked for them. What the caller may not be told
// of them is not named (C33).
func (r *Room) alike(ch *kernel.Change, t api.TaskInfo) ([]api.AlikeTask, error) {
	title, all := kernel.TellingWords(t.Title), kernel.TellingWords(t.Title+" "+t.Spec)
	var like []api.TaskInfo
	looked := 0
	unfinished := kernel.Query{States: kernel.Strings([]api.TaskState{api.TaskOpen, api.TaskClaimed}), Newest: true}
	err := tasks.Each(ch.Ctx, ch.Reader, unfinished, func(row kernel.Row[task]) (bool, error) {
		o := row.Value.info(ch.Now)
		if o.ID != t.ID && o.Session == t.Session && overlaps(title, all, o) {
			like = append(like, o)
		}
		looked++
		return len(like) < alikeMost && looked < alikeLooked, nil
	})
	if err != nil {
		return nil, err
	}
	var out []api.AlikeTask
	for _, o := range like {
		seen, err := r.told(ch.Call, o)
		if err != nil {
			return nil, err
		}
		if seen.Title == "" {
			continue
		}
		like := api.AlikeTask{ID: o.ID, Title: o.Title, State: o.State, Creator: o.Creator, Holder: o.Holder}
		// Who would do the same is shown what that is, as a read like any other.
		spec := brenner.Clip(brenner.OneLine(o.Spec), alikeSpec)
		if pays, err := ch.Pays("task "+o.ID, spec); err != nil {
			return nil, err
		} else if pays && t.Session != "" {
			like.Spec = spec
		}
		out = append(out, like)
		title := ""
		if t.Session != "" {
			title = ": " + t.Title
		}
		to := o.Holder
		if to == "" {
			to = o.Creator
		}
		if err := r.Mail.Tell(ch, to, api.MessageTask, fmt.Sprintf("OVERLAP: %s may overlap with %s", t.ID, o.ID), fmt.Sprintf(
			"%s, which %s has just opened, may overlap with %s, which is yours%s\nSettle who does what before both are done.\n", t.ID, ch.Who.Name, o.ID, title)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// overlaps says whether a task asks for much the same as a title, or as all words
// of another.
func overlaps(title, all map[string]bool, o api.TaskInfo) bool {
	return kernel.Share(title, kernel.TellingWords(o.Title), titleWords, titlePart) || kernel.Share(all, kernel.TellingWords(o.Title+" "+o.Spec), allWords, allPart)
}
