// Command brenner is the shared, versioned memory and rule-keeper for teams of
// agents. This package only wires the parts together.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"brenner/internal/cli"

	"golang.org/x/term"
)

func main() { os.Exit(run(os.Args[1:])) }

// run runs one command. A panic is our fault and must not look like the
// caller's: Go would exit with the status of a usage error.
func run(args []string) (status int) {
	defer func() {
		if p := recover(); p != nil {
			_, _ = fmt.Fprintf(os.Stderr, "brenner: INTERNAL: something failed inside: %v\n", p)
			status = 1
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.Getwd()
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "brenner: FILE_ERROR: no working directory: %v\n", err)
		return 3
	}
	self, err := exec.LookPath(os.Args[0])
	if err == nil {
		self, err = filepath.Abs(self)
	}
	if err != nil {
		self = os.Args[0]
	}
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		width, height = 0, 0
	}
	info, _ := debug.ReadBuildInfo()
	name, from := built(info)
	return cli.Run(ctx, cli.Env{
		Self: self,
		In:   os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, LookupEnv: os.LookupEnv, Dir: dir, Version: name, Build: from,
		Terminal: term.IsTerminal(int(os.Stdout.Fd())), Width: width, Height: height, Columns: columns(os.Stderr),
		Open: openProject, Store: storeOf, Init: initProject, Import: importProject,
		Serve: serveProject, MCP: mcpProject, Runner: newRunner,
		EmbeddingAllowed: embeddingAllowed, AllowEmbedding: allowEmbedding,
	}, args)
}

// columns gives the width of a terminal as it is at the time; nil if the file is
// none.
func columns(f *os.File) func() int {
	if !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 {
			return 80
		}
		return width
	}
}
