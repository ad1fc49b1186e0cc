// Command screens takes pictures of the pages of a real project for the
// documents: it lets the program tell its demo, serves what came of it, and
// opens the pages in a browser.
//
//	go run ./internal/screens -program bin/brenner -out docs/screens / /review/results@3
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func main() {
	if err := run(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "screens:", err)
		os.Exit(1)
	}
}

// correction is handed in after the demo, so that there is something to decide.
var correction = []string{
	"artifact", "update", "oxygen-log", "--review", "--what", "another night", "--why", "the county's logger saw it too",
	"--summary", "Oxygen at the weir falls below 2 mg/l on 13 of 14 August nights, lowest at 05:00",
	"--content", `{"method":"two optical loggers","data":{"nights_below_2":13,"nights":14,"minimum_hour":5},"result":"below 2 mg/l on 13 of 14 nights"}`,
}

// sitting is how pictures are taken.
type sitting struct {
	program, project, out string
	width, height         int64
	theme                 string
	whole                 bool
}

func run() error {
	var s sitting
	flag.StringVar(&s.program, "program", "bin/brenner", "the program")
	flag.StringVar(&s.project, "project", "", "a project's directory (default: what the demo leaves)")
	flag.StringVar(&s.out, "out", "docs/screens", "where the pictures go")
	flag.Int64Var(&s.width, "width", 1280, "of the window")
	flag.Int64Var(&s.height, "height", 800, "of the window")
	flag.StringVar(&s.theme, "theme", "light", "light or dark")
	flag.BoolVar(&s.whole, "whole", false, "the whole page, not only the window")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if s.project == "" {
		dir, err := os.MkdirTemp("", "brenner-screens-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		s.project = filepath.Join(dir, "river")
		if out, err := exec.CommandContext(ctx, s.program, "demo", "--json", "--keep", s.project).CombinedOutput(); err != nil {
			return fmt.Errorf("the demo: %w\n%s", err, out)
		}
		if out, err := exec.CommandContext(ctx, s.program, append([]string{"-C", s.project}, correction...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("the correction: %w\n%s", err, out)
		}
	}
	return s.take(ctx, flag.Args())
}

var loginLine = regexp.MustCompile(`(http://[^/\s]+)(/login\?code=\S+)`)

// take serves the project and takes a picture of each page.
func (s sitting) take(ctx context.Context, pages []string) error {
	server := exec.CommandContext(ctx, s.program, "-C", s.project, "serve", "--addr", "127.0.0.1:0")
	said, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	}()
	var address, login string
	for lines := bufio.NewScanner(said); address == "" && lines.Scan(); {
		if m := loginLine.FindStringSubmatch(lines.Text()); m != nil {
			address, login = m[1], m[2]
		}
	}
	if address == "" {
		return errors.New("the server did not say where to log in")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		return err
	}
	alloc, stop := chromedp.NewExecAllocator(ctx, chromedp.ExecPath(browser), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true))
	defer stop()
	tab, done := chromedp.NewContext(alloc)
	defer done()
	if err := chromedp.Do(tab, chromedp.EmulateViewport(s.width, s.height), s.setTheme(), chromedp.Navigate(address+login), chromedp.WaitReady(chromedp.CSS("main h1"))); err != nil {
		return err
	}
	for _, page := range pages {
		if err := s.shoot(tab, address, page); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
	}
	return nil
}

func (s sitting) setTheme() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.theme}},
		})
		return err
	})
}

var unsafeName = regexp.MustCompile(`[^a-z0-9]+`)

// shoot writes the picture of one page; "NAME=/path" names the file.
func (s sitting) shoot(tab context.Context, address, page string) error {
	name, path, named := strings.Cut(page, "=/")
	if named {
		path = "/" + path
	} else {
		path, name = page, strings.Trim(unsafeName.ReplaceAllString(strings.ToLower(page), "-"), "-")
	}
	if name == "" {
		name = "inbox"
	}
	if err := chromedp.Do(tab, chromedp.Navigate(address+path), chromedp.WaitReady(chromedp.CSS("main h1"))); err != nil {
		return err
	}
	take := chromedp.CaptureScreenshot()
	if s.whole {
		take = chromedp.FullScreenshot(100)
	}
	png, err := chromedp.Run(tab, take)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.out, name+".png"), png, 0o644)
}
