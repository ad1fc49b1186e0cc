package cli

import (
	"strings"
	"testing"
)

// theirs are files of others, as they write them.
var theirs = []string{
	"", "{}", "{}\n", "{ }\n", "{\n}\n", "{\n\n}",
	`{"theme":"dark"}`, "{\n  \"theme\": \"dark\"\n}\n", "{\r\n\t\"theme\": \"dark\"\r\n}\r\n",
	`{"mcpServers":{},"servers":{},"mcp":{}}`, "{\"mcpServers\": {\n}, \"servers\": { }, \"mcp\": {}}\n",
	"{\n    \"mcpServers\": {\n        \"zeta\": {\"command\": \"z\"}\n    },\n    \"a\": [1, 2]\n}",
	`{"servers":{"zeta":{"command":"z"},"alpha":{"command":"a\"}"}},"aaa":1}`,
	`{"context":{}}`, `{"context":{"fileName":"GEMINI.md"}}`, `{"context":{"fileName":["GEMINI.md"]},"x":{}}`,
	`{"context": {"fileName": ["MINE.md", "GEMINI.md"]}}`, `{"context":{"fileName":[]}}`, `{"context":{"fileName":["AGENTS.md", "X.md"]}}`,
	`{"context":{"fileName":"AGENTS.md"}}`, "{\"context\": {\n \"fileName\": [\n  \"A.md\"\n ]\n}}",
}

// commented are files that only some clients read.
var commented = []string{
	"// mine\n{\n  // the theme\n  \"theme\": \"dark\", // trailing\n}\n",
	"{ /* nothing */ }\n", "{\n  \"servers\": {\n    \"z\": {\"command\": \"z\",}, // z\n  },\n  \"url\": \"http://x\", /* } */\n}\n",
	"{\"mcp\": {} /* none */, \"mcpServers\": { // none\n}}",
}

// X8: what setup puts into a file it takes back byte for byte; put in twice it is
// there once, and it is found again.
func TestSetup_IsTakenBackByteForByte(t *testing.T) {
	entries := []entry{
		{command: "brenner", args: []string{"mcp", "--as", "BlueLake"}}, {command: "brenner", args: []string{"mcp"}}, {server: "https://b.example/mcp"},
	}
	for _, c := range clients {
		texts := theirs
		if c.comments {
			texts = append(append([]string{}, theirs...), commented...)
		}
		if c.path == nil {
			texts = []string{"", "model = \"o\"", "model = \"o\"\n", "[a]\nb = 1\n\n", "\n"}
		}
		for _, text := range texts {
			for _, e := range entries {
				there, err := c.edit([]byte(text), &e)
				if err != nil {
					t.Errorf("%s: %q: %v", c.name, text, err)
					continue
				}
				again, err := c.edit(there, &e)
				if err != nil || string(again) != string(there) {
					t.Errorf("%s: %q: twice: %v\n%s", c.name, text, err, again)
				}
				got, found, err := c.read(there)
				if err != nil || !found || got.agent() != e.agent() || got.server != e.server || got.command != e.command {
					t.Errorf("%s: %q: found %+v, %v, in\n%s", c.name, text, got, err, there)
				}
				other := entry{command: "/opt/brenner", args: []string{"mcp", "--as", "RedSky"}}
				if there, err = c.edit(there, &other); err != nil {
					t.Errorf("%s: %q: another: %v", c.name, text, err)
				}
				if back, err := c.edit(there, nil); err != nil || string(back) != text {
					t.Errorf("%s: %q came back as %q: %v", c.name, text, back, err)
				}
				if back, err := c.edit([]byte(text), nil); err != nil || string(back) != text {
					t.Errorf("%s: %q without us became %q: %v", c.name, text, back, err)
				}
			}
		}
	}
	for _, c := range clients {
		if c.path == nil || c.comments {
			continue
		}
		if _, err := c.edit([]byte(commented[0]), &entries[0]); err == nil {
			t.Errorf("%s does not read comments, and was given some", c.name)
		}
	}
}

// X8: the guides come back as they were, whatever their last line ends with, and
// also if another program ends lines otherwise.
func TestSetup_GuidesComeBack(t *testing.T) {
	for _, c := range clients {
		set, unset := c.guides(true), c.guides(false)
		for i := range set {
			for _, text := range []string{"", "mine", "mine\n", "mine\n\n", "\n", "# Mine\r\n\r\nrule\r\n", "@AGENTS.md\n"} {
				there, err := set[i].edit([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				if again, err := set[i].edit(there); err != nil || string(again) != string(there) {
					t.Errorf("%s: %q: twice: %q, %v", set[i].path, text, again, err)
				}
				if back, err := unset[i].edit(there); err != nil || string(back) != text {
					t.Errorf("%s: %q came back as %q: %v", set[i].path, text, back, err)
				}
				other := strings.ReplaceAll(string(there), "\n", "\r\n")
				if _, err := unset[i].edit([]byte(other)); err != nil {
					t.Errorf("%s: %q: %v", set[i].path, other, err)
				}
			}
		}
	}
}
