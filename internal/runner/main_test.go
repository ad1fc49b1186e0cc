package runner

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"brenner/program"

	"github.com/go-json-experiment/json/jsontext"
)

// asProgram makes this test binary a program of an agent.
const asProgram = "as-program"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == asProgram {
		os.Exit(act(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// act does what a badly or well behaved program does.
func act(what string, args []string) int {
	prompt, _ := io.ReadAll(os.Stdin)
	switch what {
	case "answer":
		fmt.Print(goodReply)
	case "say":
		fmt.Println(strings.Join(args, " "))
	case "second": // usable only when it is told what was wrong
		if strings.Contains(string(prompt), "no delta that can be used") {
			fmt.Print(goodReply)
		} else {
			fmt.Println("I think that it is the gradient.")
		}
	case "environment":
		for _, kv := range os.Environ() {
			fmt.Println(kv)
		}
		dir, _ := os.Getwd()
		fmt.Println("DIR=" + dir)
	case "garbage":
		_, _ = os.Stdout.Write([]byte("\x00\xff\xfe\x1b[2J" + strings.Repeat("\x80", 500) + "\n"))
	case "gigabyte":
		line := strings.Repeat("x", 1<<20)
		for range 1024 {
			if _, err := fmt.Println(line); err != nil {
				return 1
			}
		}
	case "hang":
		time.Sleep(time.Hour)
	case "deaf": // to the request to end
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("I stay.")
		time.Sleep(time.Hour)
	case "family": // leaves children behind, one that has left the group
		for i := range 2 {
			c := exec.Command(os.Args[0], asProgram, "hang")
			if i == 1 {
				c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			}
			c.Stdout = os.Stdout
			if err := c.Start(); err != nil {
				return 1
			}
		}
		fmt.Print(goodReply)
	case "family-hang":
		c := exec.Command(os.Args[0], asProgram, "deaf")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if c.Start() != nil {
			return 1
		}
		time.Sleep(time.Hour)
	case "tty": // asks its person, past every pipe
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err == nil {
			_, err = bufio.NewReader(tty).ReadString('\n')
		}
		fmt.Println("asked a person:", err)
	case "late", "late-child":
		return late(what, args)
	case "full": // writes to a disk without room
		if err := os.WriteFile("/dev/full", []byte("x"), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	case "logged-out":
		fmt.Fprintln(os.Stderr, "Not logged in · Please run /login")
		return 1
	case "tell-secret": // in what it says when it fails
		fmt.Fprintln(os.Stderr, "request failed with", os.Getenv(args[0]))
		return 1
	case "silent":
	case "crash":
		fmt.Fprintln(os.Stderr, "panic: something broke")
		return 3
	case "limited": // until a file is there
		if _, err := os.Stat(args[0]); err != nil {
			_ = os.WriteFile(args[0], nil, 0o600)
			fmt.Fprintln(os.Stderr, "error: status 429 too many requests")
			return 1
		}
		fmt.Print(goodReply)
	case "ask": // for input, which never comes
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Println("read", line, err)
	case "twice": // by tool, and again in its last words
		if useTool("tool-strict", []string{"delta_submit", args[0]}) != 0 {
			return 1
		}
		fmt.Print(goodReply)
	case "tool", "tool-crash", "tool-strict":
		return useTool(what, args)
	case "write":
		for _, name := range args {
			if err := os.WriteFile(name, []byte("written by a program\n"), 0o644); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		return useTool("tool", []string{"task_complete", `{"id":"task-1"}`})
	default:
		return 64
	}
	return 0
}

// late answers, and leaves behind a process that nothing tells from any other:
// it waits for a file and then uses the token of a run that is over.
func late(what string, args []string) int {
	if what == "late" {
		c := exec.Command(os.Args[0], append([]string{asProgram, "late-child"}, args...)...)
		c.Env = []string{program.URLVariable + "=" + os.Getenv(program.URLVariable), program.TokenVariable + "=" + os.Getenv(program.TokenVariable)}
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if c.Start() != nil {
			return 1
		}
		fmt.Print(goodReply)
		return 0
	}
	for range 2000 {
		if _, err := os.Stat(args[0]); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_, err := openTools(context.Background(), os.Getenv(program.URLVariable), os.Getenv(program.TokenVariable))
	if os.WriteFile(args[1]+".new", []byte(fmt.Sprint(err)), 0o600) != nil || os.Rename(args[1]+".new", args[1]) != nil {
		return 1
	}
	return 0
}

// useTool calls one of Brenner's tools as a program does, then ends well, or
// crashes, or ends badly if the call was refused.
func useTool(what string, args []string) int {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	t, err := openTools(ctx, os.Getenv(program.URLVariable), os.Getenv(program.TokenVariable))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	text, refused := t.call(ctx, args[0], jsontext.Value(args[1]))
	fmt.Println(text, refused)
	switch {
	case what == "tool-crash":
		return 9
	case what == "tool-strict" && refused:
		fmt.Fprintln(os.Stderr, args[0]+" was refused")
		return 1
	}
	return 0
}
