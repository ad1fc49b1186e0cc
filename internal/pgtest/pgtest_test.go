package pgtest

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestOpen_EachDatabaseIsFreshAndOrdersByByte(t *testing.T) {
	ctx := context.Background()
	first, second := Open(t), Open(t)
	if first == second {
		t.Fatalf("two calls gave one database: %s", first)
	}
	for _, url := range []string{first, second} {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		// Fails in the second database if it is the first one again.
		if _, err := conn.Exec(ctx, "CREATE TABLE word (w text)"); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(ctx, "INSERT INTO word VALUES ('a'), ('B'), ('é'), ('z')"); err != nil {
			t.Fatal(err)
		}
		var order string
		if err := conn.QueryRow(ctx, "SELECT string_agg(w, '' ORDER BY w) FROM word").Scan(&order); err != nil {
			t.Fatal(err)
		}
		if order != "Bazé" {
			t.Errorf("order is %q, want byte order Bazé", order)
		}
	}
}

func TestOpenDurable_WaitsForTheDisk(t *testing.T) {
	if os.Getenv(ServerVariable) != "" {
		t.Skipf("skipped: %s names a server whose settings are its own", ServerVariable)
	}
	ctx := context.Background()
	for want, url := range map[string]string{"off": Open(t), "on": OpenDurable(t)} {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		var fsync string
		if err := conn.QueryRow(ctx, "SHOW fsync").Scan(&fsync); err != nil {
			t.Fatal(err)
		}
		if fsync != want {
			t.Errorf("fsync is %s, want %s", fsync, want)
		}
	}
}

// childVariable makes this test binary act as a test process that is killed.
const childVariable = "BRENNER_PGTEST_CHILD"

func TestCluster_DoesNotOutliveAKilledProcess(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		beKilled(t)
		return
	}
	if _, err := findBinaries(); errors.Is(err, errMissing) && os.Getenv("CI") != "true" {
		t.Skipf("skipped: %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self, "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), childVariable+"=1", ServerVariable+"=")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var dir string
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		dir, _ = strings.CutPrefix(lines.Text(), "cluster ")
		if !filepath.IsAbs(dir) {
			dir = ""
		}
	}
	if dir == "" {
		t.Fatalf("the child never named its cluster: %v", child.Wait())
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // reports the kill
	for range 600 {
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s is still there", dir)
}

// beKilled starts a cluster, names its directory and waits for the end.
func beKilled(t *testing.T) {
	on, err := fast()
	if err != nil {
		t.Fatal(err)
	}
	config, err := pgx.ParseConfig(on.url)
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("cluster " + config.Host + "\n")
	select {}
}
