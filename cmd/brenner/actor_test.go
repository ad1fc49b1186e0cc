package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"brenner/program"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// actAsProgram makes this test binary a program of an agent.
const actAsProgram = "as-program"

// actor is a program of an agent. It reads its prompt and does what its
// arguments say, one step each:
//
//	write FILE TEXT    append a line to a file
//	tool NAME ARGS     use one of Brenner's tools; {task} is the task's id
//	send FILE ARGS     write an artifact with the file as its content
//	fetch FILE ARGS    read one into the file
//	wait 100ms         take its time
//	say TEXT           print a line
func actor(steps []string) int {
	prompt, _ := io.ReadAll(os.Stdin)
	task := regexp.MustCompile(`task-\d+`).FindString(string(prompt))
	for _, step := range steps {
		word, rest, _ := strings.Cut(strings.ReplaceAll(step, "{task}", task), " ")
		first, second, _ := strings.Cut(rest, " ")
		var err error
		switch word {
		case "write":
			err = appendLine(first, second)
		case "tool":
			_, err = useTool(first, second)
		case "send":
			err = transferred(first, "artifact_write", second, http.MethodPut)
		case "fetch":
			err = transferred(first, "artifact_get", second, http.MethodGet)
		case "wait":
			var d time.Duration
			d, err = time.ParseDuration(rest)
			time.Sleep(d)
		case "say":
			fmt.Println(rest)
		default:
			err = fmt.Errorf("no step %q", word)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

func appendLine(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// tokened carries the token of the run to its tools.
type tokened struct{}

func (tokened) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+os.Getenv(program.TokenVariable))
	return http.DefaultTransport.RoundTrip(req)
}

// transferred makes the request of the command that a tool gives for a file.
func transferred(file, tool, args, method string) error {
	words, err := useTool(tool, args)
	if err != nil {
		return err
	}
	m := curl.FindStringSubmatch(words)
	if m == nil {
		return fmt.Errorf("%s gave no command", tool)
	}
	var content []byte
	if method == http.MethodPut {
		if content, err = os.ReadFile(file); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(context.Background(), method, m[5], bytes.NewReader(content))
	if err != nil {
		return err
	}
	req.Header.Set("Brenner-Ticket", m[4])
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return err
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("%s %s: %d %s", method, m[5], res.StatusCode, answer)
	case method == http.MethodPut:
		fmt.Printf("%s", answer)
		return nil
	}
	return os.WriteFile(file, answer, 0o644)
}

func useTool(name, args string) (words string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "actor", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: os.Getenv(program.URLVariable), DisableStandaloneSSE: true, MaxRetries: -1, HTTPClient: &http.Client{Transport: tokened{}},
	}, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = session.Close() }()
	var in map[string]any
	if err := json.Unmarshal([]byte(args), &in); err != nil {
		return "", err
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		return "", err
	}
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			words += text.Text + "\n"
		}
	}
	fmt.Print(words)
	if res.IsError {
		err = fmt.Errorf("%s was refused", name)
	}
	return words, err
}
