package cli

import (
	"errors"
	"fmt"
	"strings"

	"brenner/canon"
)

// readJSON finds mcpServers.brenner in a JSON file; address names the member
// with the address of a server.
func readJSON(address string) func([]byte) (entry, bool, error) {
	return func(text []byte) (entry, bool, error) {
		if err := canon.Check(text); err != nil {
			return entry{}, false, err
		}
		ours := string(text)
		for _, name := range []string{"mcpServers", "brenner"} {
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
		return readEntry(o.get("command", `""`), o.get("args", "[]"), o.get(address, `""`), headers.get("Authorization", `""`))
	}
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
	if token, ok := strings.CutPrefix(authorization, "Bearer "); ok && !strings.HasPrefix(token, "$") {
		e.token = token
	}
	return e, true, nil
}
