package mcpserver_test

import (
	"testing"

	"brenner"
)

// C2, X11: a colleague who has written nothing can be asked by name, about the session
// alone: it is told with its next call, whatever that is, and it alone; a word is left
// with it likewise.
func TestRequest_AsksAColleagueByName(t *testing.T) {
	_, blue, red, green := trio(t)
	words, data := blue.call("request", arguments{"session": "RS-trio", "to": "GreenValley", "title": "Which log do you read?", "spec": "Name the log that you read, and its machine."})
	task := data["id"].(string)
	blue.must(words, task+" is asked of GreenValley, which is told with its next call; a message tells you when it is done")
	line := "unread: TASK: " + task + " is asked of you by BlueLake: inbox {}\n"
	green.must(first(green.call("session_show", arguments{"session": "RS-trio"})), line)
	green.must(first(green.call("artifact_search", arguments{"text": "note"})), line)
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-trio"})), "unread: ")
	green.must(first(green.call("inbox", nil)), task+" (work, role adversarial_critic, module lineage) is asked of you by BlueLake.", "It asks (data): Which log do you read?")
	green.mustNot(first(green.call("artifact_search", arguments{"text": "note"})), "unread: ")
	green.must(first(green.call("context_assemble", arguments{"task": task})), "Name the log that you read, and its machine.", "Asked of GreenValley.")
	green.call("delta_submit", arguments{"session": "RS-trio", "text": hypothesis("Cache", "", "in the log of May the cache is cold"), "task": task})
	blue.must(first(blue.call("inbox", nil)), task+", which you asked for, was done by GreenValley")

	blue.must(first(blue.call("request", arguments{"session": "RS-trio", "to": "RedSky", "note": true, "title": "I leave the disk to you"})), "noted: told to RedSky; ")
	red.mustNot(first(red.call("artifact_search", arguments{"text": "note"})), "unread: ")
	red.must(first(red.call("session_show", arguments{"session": "RS-trio"})), "note on the session, for RedSky by BlueLake", "unread: NOTE: BlueLake on RS-trio: inbox {}")
	red.must(first(red.call("inbox", nil)), "BlueLake leaves a note on RS-trio. Nothing is asked of you; you were given it with the document\n")

	for name, in := range inOrder(map[string]arguments{
		"oneself":                      {"session": "RS-trio", "to": "BlueLake", "title": "t", "spec": "s"},
		"work of one's own":            {"session": "RS-trio", "to": "RedSky", "title": "t", "claim": true},
		"nobody":                       {"session": "RS-trio", "to": "RedSkies", "title": "t", "spec": "s"},
		"one who was not asked":        {"session": "RS-trio", "to": "GreyStone", "title": "t", "spec": "s"},
		"in a role that it has not":    {"session": "RS-trio", "to": "RedSky", "role": "writer", "title": "t", "spec": "s"},
		"a note that is about nothing": {"to": "RedSky", "title": "t", "note": true},
	}) {
		if _, _, err := answered[arguments](t.Context(), blue.session, "request", in); brenner.CodeOf(err) != brenner.CodeInvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// C2: a note is told to who it names as well, and whoever leaves it hears to whom.
func TestRequest_ANoteIsToldToWhoItNames(t *testing.T) {
	blue, red := duo(t)
	both(blue, red) // H1 of BlueLake, H2 of RedSky
	said := func(item, title string) string {
		return first(blue.call("request", arguments{"session": "RS-pair", "items": []string{item}, "note": true, "title": title}))
	}
	blue.must(said("H1", "RedSky: H2 needs what this says"), "noted: told to RedSky; ")
	red.must(first(red.call("inbox", nil)), "> RedSky: H2 needs what this says")
	blue.must(said("H2", "RedSkyline is another matter"), "noted: told to RedSky; ")
	blue.must(said("H1", "for myself"), "noted: whoever reads")
}
