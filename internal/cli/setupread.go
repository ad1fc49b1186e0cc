package cli

import (
	"errors"
	"fmt"
	"strings"

	"brenner/canon"
)

// read finds our entry again in the text of the client's file.
func (c client) read(text []byte) (entry, bool, error) {
	if c.path == nil {
		return readTOML(text)
	}
	f, err := readJSON(text, c.comments)
	if err != nil || f.text == "" {
		return entry{}, false, err
	}
	ours := f.plain
	for _, name := range c.path {
		o, err := members([]byte(ours))
		if err != nil {
			return entry{}, false, err
		}
		if ours = o.get(name, ""); ours == "" {
			return entry{}, false, nil
		}
	}
	o, err := members([]byte(ours))
	if err != nil {
		return entry{}, false, fmt.Errorf("brenner: %w", err)
	}
	headers, err := members([]byte(o.get("headers", "{}")))
	if err != nil {
		return entry{}, false, fmt.Errorf("headers: %w", err)
	}
	command, args := o.get("command", `""`), o.get("args", "[]")
	var whole []string
	if canon.Unmarshal([]byte(command), &whole) == nil && len(whole) > 0 { // opencode writes both in one
		command, args = quote(whole[0]), quotes(whole[1:])
	}
	return readEntry(command, args, o.get(c.address, `""`), headers.get("Authorization", `""`))
}

// find is where the value stands that a path leads to; -1: nowhere.
func (f jsonFile) find(path []string) (from, to int, err error) {
	if f.text == "" {
		return -1, -1, nil
	}
	for _, name := range path {
		o, err := f.object(from)
		if err != nil {
			return -1, -1, err
		}
		i := o.index(name)
		if i < 0 {
			return -1, -1, nil
		}
		from, to = o.members[i].value, o.members[i].to
	}
	return from, to, nil
}

// guideNames lists what Gemini is told to read: one name, or several.
func guideNames(value string) ([]string, error) {
	var one string
	if canon.Unmarshal([]byte(value), &one) == nil {
		return []string{one}, nil
	}
	var names []string
	return names, canon.Unmarshal([]byte(value), &names)
}

// readTOML finds the table of ours; its values are written as in JSON.
func readTOML(text []byte) (entry, bool, error) {
	_, table, found := strings.Cut("\n"+string(text), "\n[mcp_servers.brenner]\n")
	if !found {
		return entry{}, false, nil
	}
	values := map[string]string{"command": `""`, "args": "[]", "url": `""`}
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "[") {
			break
		}
		if name, value, ok := strings.Cut(line, "="); ok {
			values[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return readEntry(values["command"], values["args"], values["url"], `""`)
}

// readEntry reads the command, its arguments, the address of a server and the
// header with a token, each as JSON.
func readEntry(command, args, server, header string) (e entry, found bool, err error) {
	authorization := ""
	for _, v := range []struct {
		text string
		into any
	}{{command, &e.command}, {args, &e.args}, {server, &e.server}, {header, &authorization}} {
		err = errors.Join(err, canon.Unmarshal([]byte(v.text), v.into))
	}
	if err != nil {
		return entry{}, false, err
	}
	if e.command == "" && e.server == "" {
		return entry{}, false, errors.New("the entry brenner names neither a command nor a server")
	}
	if token, ok := strings.CutPrefix(authorization, "Bearer "); ok && !strings.HasPrefix(token, "$") && !strings.HasPrefix(token, "{env:") {
		e.token = token
	}
	return e, true, nil
}
