package mcpserver_test

import "testing"

// C17, ADR 190: of the document of a session a result rests on the items that it names; what
// others change beside them marks nothing. One that names none, and is linked to the
// document, rests on the whole.
func TestRebase_OnlyForWhatTheResultNames(t *testing.T) {
	for _, c := range []struct {
		name, says, changed string
		more                arguments
		marked              bool
	}{
		{"another item than it names", "H1 holds: 48 of 60 ms", "H2", nil, false},
		{"the item that it names", "H1 holds: 48 of 60 ms", "H1", nil, true},
		{"the item that it names with the session", "RS-pair@2/H1 holds", "H1", nil, true},
		{"none is named", "parsing takes 48 of 60 ms", "H2", nil, false},
		{
			"none is named, and it is linked to the whole", "parsing takes 48 of 60 ms", "H2",
			arguments{"links": []any{arguments{"rel": "depends_on", "artifact": "RS-pair", "version": 2}}},
			true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			blue, red := duo(t)
			both(blue, red)
			blue.call("inbox", nil)
			red.call("inbox", nil)
			_, asked := asksOf(red, "Look at the lexer", nil)
			task, _ := asked["id"].(string)
			blue.call("context_assemble", arguments{"task": task})
			blue.call("session_show", arguments{"session": "RS-pair", "again": true})
			red.submits(deltaBlock("EDIT", c.changed, "hypothesis_slate", `{"mechanism":"it waits for the lock, each time"}`, ""))
			args := arguments{"task": task, "done": true, "content": arguments{"format": "text", "data": c.says + "\n"}}
			for k, v := range c.more {
				args[k] = v
			}
			words, _ := blue.call("artifact_write", analysis("seen", args))
			if !c.marked {
				blue.mustNot(words, "needs_rebase", "rebase")
				return
			}
			blue.must(words, "RS-pair@2 moved from @2 to @3", "what you wrote is marked needs_rebase")
			if c.more == nil {
				blue.must(words, "(H1, which it names)")
			}
		})
	}
}
