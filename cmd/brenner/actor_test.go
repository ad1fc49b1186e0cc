package main

import (
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
			err = useTool(first, second)
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

func useTool(name, args string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "actor", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: os.Getenv(program.URLVariable), DisableStandaloneSSE: true, MaxRetries: -1, HTTPClient: &http.Client{Transport: tokened{}},
	}, nil)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	var in map[string]any
	if err := json.Unmarshal([]byte(args), &in); err != nil {
		return err
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		return err
	}
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
	if res.IsError {
		return fmt.Errorf("%s was refused", name)
	}
	return nil
}
