package pgtest

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// superuser owns the private cluster; it has no password, and only the socket
// in our directory leads to it.
const superuser = "brenner"

// supervise runs the server until its standard input closes, then stops it
// and removes the directory. The test process holds the other end of that
// pipe and never writes to it, so the end of the process, however it comes,
// is the end of the server. INT is PostgreSQL's fast shutdown.
const supervise = `
dir=$1; shift
"$@" >"$dir/log" 2>&1 </dev/null &
server=$!
read -r _
kill -INT "$server" 2>/dev/null
wait "$server"
rm -rf "$dir"
`

// server is where databases are made.
type server struct {
	url string // of its maintenance database
	// lifeline is our end of the supervisor's standard input. Nobody uses it,
	// but it must stay reachable: collected, it would close and end the server.
	lifeline io.Closer
}

// startCluster makes a cluster in a temporary directory, starts it and waits
// until it answers.
func startCluster(ctx context.Context, durable bool) (server, error) {
	bin, err := findBinaries()
	if err != nil {
		return server{}, err
	}
	dir, err := os.MkdirTemp(shortTemp(), "brenner-pg-")
	if err != nil {
		return server{}, err
	}
	lifeline, err := launch(ctx, bin, dir, durable)
	if err != nil {
		return server{}, err
	}
	u := url.URL{
		Scheme: "postgres", User: url.User(superuser), Path: "/postgres",
		RawQuery: url.Values{"host": {dir}, "sslmode": {"disable"}}.Encode(),
	}
	return server{u.String(), lifeline}, waitReady(ctx, u.String(), dir)
}

// launch runs initdb and leaves the server starting under its supervisor,
// which from then on owns the directory; until then a failure removes it.
func launch(ctx context.Context, bin, dir string, durable bool) (lifeline io.Closer, err error) {
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	owner, err := serverAccount()
	if err != nil {
		return nil, err
	}
	if err := owner.give(dir); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"),
		"--pgdata", data, "--username", superuser, "--auth", "trust",
		"--encoding", "UTF8", "--locale", "C", "--no-sync")
	initdb.Dir = dir
	owner.run(initdb)
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}

	// Not CommandContext: the server outlives the deadline of its start.
	postgres := exec.Command("/bin/sh", append([]string{
		"-c", supervise, "sh", dir,
		filepath.Join(bin, "postgres"), "-D", data,
	}, settings(dir, durable)...)...)
	postgres.Dir = dir
	owner.run(postgres)
	if lifeline, err = postgres.StdinPipe(); err != nil {
		return nil, err
	}
	return lifeline, postgres.Start()
}

func settings(dir string, durable bool) []string {
	set := []string{
		"listen_addresses=",
		"unix_socket_directories=" + dir,
		"max_connections=200",
		"timezone=UTC",
	}
	if !durable {
		set = append(set, "fsync=off", "full_page_writes=off", "synchronous_commit=off")
	}
	var args []string
	for _, s := range set {
		args = append(args, "-c", s)
	}
	return args
}

func waitReady(ctx context.Context, base, dir string) error {
	for {
		err := execute(ctx, base, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			return fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// findBinaries gives the directory of initdb and postgres: the newest version
// where distributions install it, since Debian leaves it off PATH, else
// wherever PATH leads.
func findBinaries() (string, error) {
	var dirs []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*",
		"/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
	} {
		found, _ := filepath.Glob(pattern)
		slices.SortFunc(found, func(a, b string) int { return versionIn(b) - versionIn(a) })
		dirs = append(dirs, found...)
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	for _, dir := range dirs {
		if isFile(filepath.Join(dir, "initdb")) && isFile(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", errMissing
}

// versionIn reads the major version out of an installation path, 0 if none.
func versionIn(path string) int {
	digits := strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[0])
	return n
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// shortTemp prefers /tmp: a socket's path must fit in about 100 bytes, and a
// TMPDIR can be longer than that.
func shortTemp() string {
	if info, err := os.Stat("/tmp"); err == nil && info.IsDir() {
		return "/tmp"
	}
	return os.TempDir()
}
