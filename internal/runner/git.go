package runner

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/api"
)

// repository is the git repository of a project. Whatever a worktree's own
// files say, git is told where the repository is, and runs neither hooks nor
// filters nor anything else that a file could name (W15).
type repository struct {
	// dir is the main worktree, gitDir the repository itself.
	dir, gitDir string
	// filters are the names of filters that the configuration defines.
	filters []string
}

// gitDeadline bounds one call of git.
const gitDeadline = 2 * time.Minute

// maxGitOutput bounds what is read of one.
const maxGitOutput = 64 << 20

// openRepository finds the repository of a directory. Code: NO_REPOSITORY.
func openRepository(ctx context.Context, dir string) (*repository, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, brenner.Errorf(brenner.CodeNoRepository, "git is not installed").WithHint("install git, or let the program work in a scratch directory")
	}
	r := &repository{dir: dir}
	top, err := r.git(ctx, dir, nil, "rev-parse", "--show-toplevel", "--path-format=absolute", "--git-common-dir")
	lines := strings.Split(strings.TrimSpace(top), "\n")
	if err != nil || len(lines) != 2 {
		return nil, brenner.Errorf(brenner.CodeNoRepository, "there is no git repository here").
			WithHint("make one and commit, or let the program work in a scratch directory").Because(err)
	}
	r.dir, r.gitDir = lines[0], lines[1]
	if _, err := r.git(ctx, r.dir, nil, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return nil, brenner.Errorf(brenner.CodeNoRepository, "the repository has no commit yet").WithHint("commit something first").Because(err)
	}
	names, _ := r.git(ctx, r.dir, nil, "config", "--name-only", "--get-regexp", `^filter\.`)
	for line := range strings.Lines(names) {
		key := strings.TrimSpace(line)
		if i := strings.LastIndexByte(key, '.'); i > len("filter.") {
			r.filters = append(r.filters, key[len("filter."):i])
		}
	}
	return r, nil
}

// quiet are the settings that keep git from running anything but itself.
var quiet = []string{
	"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "core.attributesFile=" + os.DevNull, "core.sshCommand=false",
	"core.pager=cat", "core.editor=false", "diff.external=", "commit.gpgSign=false", "tag.gpgSign=false",
	"gc.auto=0", "maintenance.auto=false", "submodule.recurse=false", "protocol.allow=never", "advice.detachedHead=false",
	"core.quotePath=false", "credential.helper=",
}

// git runs git in a directory and gives what it prints.
func (r *repository) git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitDeadline)
	defer cancel()
	var all []string
	for _, s := range quiet {
		all = append(all, "-c", s)
	}
	for _, f := range r.filters {
		for _, kind := range []string{"clean", "smudge", "process"} {
			all = append(all, "-c", "filter."+f+"."+kind+"=")
		}
		all = append(all, "-c", "filter."+f+".required=false")
	}
	cmd := exec.CommandContext(ctx, "git", append(all, args...)...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_ATTR_NOSYSTEM=1", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
	}, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{to: &out, left: maxGitOutput}, &limited{to: &errs, left: 16 << 10}
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return out.String(), errors.Join(err, errors.New(strings.TrimSpace(errs.String())))
	}
	return out.String(), nil
}

// limited passes over what is too much.
type limited struct {
	to   *bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.to.Write(p[:n])
	l.left -= n
	return len(p), nil
}

// worktree is a worktree of a run, on a branch of its own.
type worktree struct {
	repo   *repository
	dir    string
	branch string
	base   string
}

// branchOf is the branch of a run.
func branchOf(run string) string { return "brenner/" + run }

// addWorktree makes the worktree of a run at HEAD.
func (r *repository) addWorktree(ctx context.Context, dir, run string) (*worktree, error) {
	head, err := r.git(ctx, r.dir, nil, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	w := &worktree{repo: r, dir: dir, branch: branchOf(run), base: strings.TrimSpace(head)}
	_, err = r.git(ctx, r.dir, nil, "worktree", "add", "--quiet", "-b", w.branch, dir, w.base)
	return w, err
}

// git runs git on the worktree. Its .git file, which the program can write, is
// not asked where the repository is.
func (w *worktree) git(ctx context.Context, args ...string) (string, error) {
	gitDir := filepath.Join(w.repo.gitDir, "worktrees", filepath.Base(w.dir))
	return w.repo.git(ctx, w.dir, []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + w.dir}, args...)
}

// maxDiff bounds the diff that is kept.
const maxDiff = 4 << 20

// change commits what the worktree holds and says what that is; nil if nothing
// changed.
func (w *worktree) change(ctx context.Context, agent brenner.ActorName, message string) (*api.CodeChange, error) {
	if _, err := w.git(ctx, "add", "--all", "--", "."); err != nil {
		return nil, err
	}
	author := []string{"-c", "user.name=" + string(agent), "-c", "user.email=" + string(agent) + "@brenner.invalid"}
	// The branch is the run's, wherever the program may have put HEAD.
	if status, err := w.git(ctx, "status", "--porcelain"); err != nil {
		return nil, err
	} else if status != "" {
		if _, err := w.git(ctx, append(author, "commit", "--quiet", "--no-verify", "-m", message)...); err != nil {
			return nil, err
		}
	}
	head, err := w.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	c := &api.CodeChange{Base: w.base, Branch: w.branch, Commit: strings.TrimSpace(head), Files: []api.FileChange{}}
	if c.Commit == w.base {
		return nil, nil
	}
	if _, err := w.repo.git(ctx, w.repo.dir, nil, "update-ref", "refs/heads/"+w.branch, c.Commit); err != nil {
		return nil, err
	}
	stat, err := w.git(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--numstat", "-z", w.base, c.Commit)
	if err != nil {
		return nil, err
	}
	c.Files = fileChanges(stat)
	c.Diff, err = w.git(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", w.base, c.Commit)
	c.Diff = strings.ToValidUTF8(strings.ReplaceAll(c.Diff, "\x00", ""), "�")
	if len(c.Diff) > maxDiff {
		c.Diff, c.Cut = strings.ToValidUTF8(c.Diff[:maxDiff], ""), true
	}
	return c, err
}

// fileChanges reads numstat -z: added, removed and path; dashes for a binary
// file.
func fileChanges(stat string) []api.FileChange {
	files := []api.FileChange{}
	for record := range strings.SplitSeq(stat, "\x00") {
		parts := strings.SplitN(record, "\t", 3)
		if len(parts) != 3 {
			continue
		}
		f := api.FileChange{Path: strings.ToValidUTF8(parts[2], "�"), Binary: parts[0] == "-"}
		f.Added, _ = strconv.Atoi(parts[0])
		f.Removed, _ = strconv.Atoi(parts[1])
		files = append(files, f)
	}
	return files
}

// remove takes the worktree away; its branch stays if it holds something.
func (w *worktree) remove(ctx context.Context) error {
	_, err := w.repo.git(ctx, w.repo.dir, nil, "worktree", "remove", "--force", w.dir)
	if err != nil {
		// A program can break what git needs to see that it is a worktree.
		err = errors.Join(os.RemoveAll(w.dir), ignoreOutput(w.repo.git(ctx, w.repo.dir, nil, "worktree", "prune")))
	}
	head, _ := w.repo.git(ctx, w.repo.dir, nil, "rev-parse", "--verify", "refs/heads/"+w.branch)
	if strings.TrimSpace(head) == w.base {
		_, _ = w.repo.git(ctx, w.repo.dir, nil, "branch", "--quiet", "-D", w.branch)
	}
	return err
}

// lastLine is the end of what a program complains of, which says what is wrong.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return brenner.Clip(text[strings.LastIndexByte(text, '\n')+1:], 200)
}

func ignoreOutput(_ string, err error) error { return err }

// Land merges the branch of a run into what is checked out, with git itself and
// never over changes that are not committed (W15). It gives the new commit.
// Codes: NO_REPOSITORY, LAND_REFUSED.
func Land(ctx context.Context, dir string, branch, commit, message string) (string, error) {
	r, err := openRepository(ctx, dir)
	if err != nil {
		return "", err
	}
	tip, err := r.git(ctx, r.dir, nil, "rev-parse", "--verify", "refs/heads/"+branch)
	switch {
	case err != nil:
		return "", brenner.Errorf(brenner.CodeLandRefused, "there is no branch %s", branch).WithHint("it may have been landed and removed, or stands in another clone").Because(err)
	case strings.TrimSpace(tip) != commit:
		return "", brenner.Errorf(brenner.CodeLandRefused, "the branch %s is no longer what was decided on", branch).
			WithHint("look at what was added to it; what was promoted is commit " + commit)
	}
	if _, err := r.git(ctx, r.dir, nil, "merge-base", "--is-ancestor", commit, "HEAD"); err == nil {
		return "", brenner.Errorf(brenner.CodeLandRefused, "the branch %s is part of what is checked out here already", branch).
			WithHint("there is nothing to do; the branch can go")
	}
	status, err := r.git(ctx, r.dir, nil, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return "", brenner.Errorf(brenner.CodeLandRefused, "git cannot say what has changed here").Because(err)
	}
	if strings.TrimSpace(status) != "" {
		return "", brenner.Errorf(brenner.CodeLandRefused, "there are changes here that are not committed").WithHint("commit or stash them first")
	}
	_, err = r.git(ctx, r.dir, nil, "-c", "user.useConfigOnly=false", "merge", "--no-ff", "--no-edit", "--no-verify", "-m", message, commit)
	if err != nil {
		apart, _ := r.git(ctx, r.dir, nil, "diff", "--name-only", "--diff-filter=U")
		_, _ = r.git(ctx, r.dir, nil, "merge", "--abort")
		if strings.TrimSpace(apart) == "" { // it is not the texts: no name to commit as, a full disk
			return "", brenner.Errorf(brenner.CodeLandRefused, "git does not merge the branch %s: %s", branch, lastLine(err.Error())).
				WithHint("nothing was changed; mend what git says and land it again").Because(err)
		}
		return "", brenner.Errorf(brenner.CodeLandRefused, "the branch %s does not merge cleanly", branch).
			WithHint("nothing was changed; merge it by hand, or have the work done again on what is there now").Because(err)
	}
	head, err := r.git(ctx, r.dir, nil, "rev-parse", "HEAD")
	return strings.TrimSpace(head), err
}
