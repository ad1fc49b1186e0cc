package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/lazy"
	"brenner/internal/patchfs"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
)

func newVerify(r *runner) *cobra.Command {
	var req api.VerifyRequest
	var files []string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Check the whole history, byte by byte",
		Long: `Recompute every hash from the records' bytes, rehash every content, replay
the journal and compare the tables with it. With checkpoints saved earlier
also find history that was rewritten or cut. How far the journal was is
also remembered outside the project, on this machine: one that is shorter or
another is found without a checkpoint, and nothing is written to it until it
is accepted. Exit status 5 when something is wrong.`,
		Example: `  brenner verify --checkpoint monday.note
  brenner verify --accept`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, f := range files {
				note, err := r.read(f, 1<<16)
				if err != nil {
					return err
				}
				req.Checkpoints = append(req.Checkpoints, string(note))
			}
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			req.Progress = r.progress()
			res, err := s.Verify(cmd.Context(), req)
			if err != nil {
				return err
			}
			if !res.OK {
				return corrupt(res)
			}
			return r.show(res, func(w *printer) { printVerified(w, res) })
		},
	}
	repeatedFlag(c.Flags(), &files, "checkpoint", "a checkpoint saved earlier (repeatable)")
	c.Flags().StringVar(&req.PublicKey, "public-key", "", "key that checks the checkpoints (default: the one kept for this project)")
	c.Flags().BoolVar(&req.Quick, "quick", false, "check the journal and the contents, not the tables")
	c.Flags().BoolVar(&req.Accept, "accept", false, "take a journal that is not the one remembered here for the history, such as a backup that was restored")
	c.Flags().BoolVar(&req.Deep, "deep", false, "also make every session artifact again from its deltas")
	return c
}

// corrupt turns findings into the error that a failed verification is.
func corrupt(res api.VerifyResult) error {
	e := brenner.Errorf(res.Findings[0].Code, "%s in a journal of %s", plural(len(res.Findings), "finding"), plural(int(res.Size), "record")).
		WithHint("compare with an export or a backup").WithDetails(res)
	for _, f := range res.Findings {
		e.Diagnostics = append(e.Diagnostics, brenner.Diagnostic{
			Code: f.Code, Severity: brenner.SeverityError, Message: f.Message, Subject: seqs(f.First, f.Last),
		})
	}
	return e
}

func seqs(first, last int64) string {
	switch {
	case first == 0:
		return ""
	case first == last:
		return fmt.Sprintf("#%d", first)
	}
	return fmt.Sprintf("#%d–%d", first, last)
}

func printVerified(w *printer, res api.VerifyResult) {
	w.Printf("ok: %s, %s, root %s\n", plural(int(res.Size), "record"), plural(int(res.Blobs), "content"), res.Root)
	if res.Digest != "" {
		w.Printf("tables match the journal: state digest %s\n", res.Digest)
	}
	if res.Rebuilt > 0 {
		w.Printf("%s of session artifacts made again from their deltas\n", plural(res.Rebuilt, "version"))
	}
	if res.Accepted {
		w.Printf("this is the history of the project from now on\n")
	}
	if res.Checkpoints > 0 {
		w.Printf("%s\n", brenner.Plural(res.Checkpoints, "checkpoint holds", "checkpoints hold"))
	}
	for _, d := range res.Redacted {
		w.Printf("redacted on purpose: %s\n", d)
	}
}

func newReplay(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "replay",
		Short:   "Rebuild the tables from the journal",
		Example: `  brenner replay`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := ask(r, cmd, api.Service.Replay, api.ReplayRequest{Progress: r.progress()})
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if res.Same {
					w.Printf("%s replayed; state digest unchanged: %s\n", plural(int(res.Records), "record"), res.After)
					return
				}
				w.Printf("%s replayed; the tables had been altered and were rebuilt\nbefore: %s\nnow:    %s\n", plural(int(res.Records), "record"), res.Before, res.After)
			})
		},
	}
}

func newCheckpoint(r *runner) *cobra.Command {
	var out string
	force := false
	c := &cobra.Command{
		Use:   "checkpoint",
		Short: "Sign what the journal is now",
		Long: `Print a signed note of the journal's size and root. Keep it outside the
project: verify --checkpoint later finds whether history was rewritten or cut.`,
		Example: `  brenner checkpoint -o monday.note`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.Checkpoint(cmd.Context())
			if err != nil {
				return err
			}
			if out != "" {
				if err := r.writeNew(out, []byte(res.Note), force); err != nil {
					return err
				}
			}
			return r.show(res, func(w *printer) {
				if out == "" {
					w.Print(res.Note)
					return
				}
				w.Printf("checkpoint of %s in %s\npublic key: %s\n", plural(int(res.Size), "record"), out, res.PublicKey)
			})
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write the note to a file")
	c.Flags().BoolVar(&force, "force", false, forceWords)
	return c
}

func newExport(r *runner) *cobra.Command {
	force := false
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the whole project as JSON Lines",
		Long: `Write every record and every content of the project to a file. An earlier export
of the same project is replaced; one with more records, and any other file, only
with --force.`,
		Example: `  brenner export project.jsonl`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			if a[0] == "-" {
				_, err := s.Export(cmd.Context(), r.out)
				return err
			}
			var res api.ExportResult
			err = r.replaceFile(a[0], func(w io.Writer) (err error) {
				if !force {
					if err := r.spare(cmd.Context(), s, a[0]); err != nil {
						return err
					}
				}
				if res, err = s.Export(cmd.Context(), w); err != nil || force {
					return err
				}
				return r.spareNewer(a[0], res.Records)
			})
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				w.Printf("%s and %s in %s\nstate digest %s\n", plural(int(res.Records), "record"), plural(int(res.Blobs), "content"), a[0], res.Digest)
			})
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace whatever file stands there")
	return c
}

// spare refuses to put an export in the place of a file that is none of this project.
func (r *runner) spare(ctx context.Context, s api.Service, name string) error {
	if info, err := os.Stat(r.path(name)); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // what stands in the way of writing is said when it is written
	}
	f, err := os.Open(r.path(name))
	if err != nil {
		return fileError(name, err)
	}
	defer func() { _ = f.Close() }()
	project, err := s.Project(ctx)
	if err != nil {
		return err
	}
	var first struct {
		Header struct {
			Format  string `json:"format"`
			Project struct {
				ID brenner.ProjectID `json:"id"`
			} `json:"project"`
		} `json:"header"`
	}
	line, _ := bufio.NewReader(io.LimitReader(f, 64<<10)).ReadBytes('\n')
	if json.Unmarshal(line, &first) == nil && first.Header.Format == api.ExportFormat && first.Header.Project.ID == project.ID {
		return nil
	}
	return brenner.Errorf(brenner.CodeAlreadyExists, "%s stands there, and is no export of this project", printable(name)).
		WithHint("choose another name, or say --force to replace it")
}

// spareNewer refuses to put an export in the place of one with more records, which
// somebody made before the project was taken back.
func (r *runner) spareNewer(name string, records int64) error {
	f, err := os.Open(r.path(name))
	if err != nil {
		return nil //nolint:nilerr // there is none
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // what stands in the way of writing is said when it is written
	}
	end := make([]byte, min(info.Size(), 64<<10))
	if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return fileError(name, err)
	}
	end = bytes.TrimSuffix(end, []byte("\n"))
	var last struct {
		Footer struct {
			Records int64 `json:"records"`
		} `json:"footer"`
	}
	if json.Unmarshal(end[bytes.LastIndexByte(end, '\n')+1:], &last) != nil || last.Footer.Records <= records {
		return nil
	}
	return brenner.Errorf(brenner.CodeAlreadyExists, "%s is an export with %d records, and the project has %d", printable(name), last.Footer.Records, records).
		WithHint("choose another name, or say --force to replace it")
}

func newImport(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Read an export into a new project",
		Long: `Read an export into an empty store: here, or in the one named by --store.
All of it arrives, with the same state digest, or nothing does.`,
		Example: `  brenner import project.jsonl --store sqlite:copy.db`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			in := r.env.In
			if a[0] != "-" {
				f, err := os.Open(r.path(a[0]))
				if err != nil {
					return fileError(a[0], err)
				}
				defer func() { _ = f.Close() }()
				in = f
			}
			res, err := r.env.Import(cmd.Context(), r.where(), in, r.progress())
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				w.Printf("project %s: %s and %s\nstate digest %s\n", res.Name, plural(int(res.Records), "record"), plural(int(res.Blobs), "content"), res.Digest)
			})
		},
	}
}

// runForm is the id of a run; no artifact is named so with a version.
var runForm = lazy.NewPattern(`^run-\d+$`)

// printedBy is the hash of what a run printed.
func (r *runner) printedBy(cmd *cobra.Command, id string) (brenner.Digest, error) {
	run, err := ask(r, cmd, api.Service.Run, api.RunRequest{ID: id})
	if err == nil && run.Transcript == "" {
		err = brenner.Errorf(brenner.CodeNotFound, "nothing is kept of what %s printed", id)
	}
	return run.Transcript, err
}

// places lists where records say something, the first few.
func places(texts []api.RecordText) string {
	var out []string
	for _, t := range texts[:min(len(texts), 20)] {
		out = append(out, t.String())
	}
	return strings.Join(out, ", ")
}

func newRedact(r *runner) *cobra.Command {
	var req api.RedactRequest
	var also []string
	c := &cobra.Command{
		Use:   "redact [ID@VERSION | RUN | SHA256]",
		Short: "Remove a leaked content or text for good; its hash and a record stay",
		Long: `Remove the bytes of a content from the store. Every version that has this
content loses it; the hash stays, so that verify still passes and says so. Of a
run it is what its program printed that goes. Where several versions have the
same bytes, whoever wrote them, it goes only with --everywhere; --dry-run lists
them, what rests on them, and which other contents have the words among theirs;
--also names those of them that are to go at the same time.

Free text of records (summaries, change notes, reasons, titles and specs of
tasks, questions, subjects, lessons) goes with --record and --member, or of a
version with --member alone; brenner journal --text finds the record. All tables
are then made anew, for which writers wait. Records of older versions hold their
texts themselves: they are named, and keep them. Names and ids stay.`,
		Example: `  brenner redact notes-7@2 --dry-run
  brenner redact notes-7@2 --reason "contained a patient's name"
  brenner redact notes-7@2 --member summary --reason "so did the summary"
  brenner redact --record 17 --member reason --reason "a name again"
  brenner redact --record 17 --member reason --also SHA256 --reason "so did another text"
  brenner redact run-12 --reason "it printed a key"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Write = r.write()
			for _, d := range also {
				req.Also = append(req.Also, brenner.Digest(d))
			}
			var err error
			named := strings.Join(a, "")
			switch d := brenner.Digest(named); {
			case (named == "") != (req.Record != 0):
				err = brenner.Errorf(brenner.CodeInvalidValue, "name what is to go: a version, a run, a content, or a record with --record")
			case named == "":
			case d.Check() == nil:
				req.Digest = d
			case runForm.MatchString(named):
				req.Digest, err = r.printedBy(cmd, named)
			default:
				req.Ref, err = brenner.ParseRef(named)
			}
			if err != nil {
				return err
			}
			res, err := ask(r, cmd, api.Service.Redact, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if res.DryRun {
					w.Printf("would redact %s", res.Digest)
				} else {
					w.Printf("redacted %s", res.Digest)
				}
				for _, d := range res.Also {
					w.Printf(" and %s", d)
				}
				if runForm.MatchString(named) {
					w.Printf(", what %s printed", named)
				}
				if len(res.Versions) > 0 {
					w.Printf(", the content of %s", refs(res.Versions, " "))
				}
				w.Println()
				if len(res.Texts) > 0 {
					w.Printf("a text of records: %s\n", places(res.Texts))
				}
				if len(res.Inline) > 0 {
					w.Printf("older records hold it themselves and keep it: %s\n", places(res.Inline))
				}
				if len(res.Containing) > 0 {
					w.Println("other contents have these words among theirs and keep them; redact each that is to go:")
					for _, d := range res.Containing {
						w.Printf("  %s\n", d)
					}
				}
				for _, ref := range res.Summaries {
					w.Printf("the summary of %s says some of it and keeps it: `brenner redact %[1]s --member summary`\n", ref)
				}
				if len(res.Sharing) > 0 {
					w.Printf("other versions have passages of it and keep them; redact each that has what is to go: %s%s\n",
						refs(res.Sharing[:min(len(res.Sharing), 20)], " "), andMore(max(0, len(res.Sharing)-20)))
				}
				if res.Retained != "" {
					w.Println(res.Retained)
				}
				if len(res.InForce) > 0 {
					w.Printf("in force: %s\n", refs(res.InForce, " "))
				}
				if len(res.Closes) > 0 {
					w.Printf("until a policy of theirs is promoted, these roles may do nothing: %s\n", joined(res.Closes, ", "))
				}
				if res.Resting > 0 {
					w.Printf("%d rest on it: %s\n", res.Resting, refs(res.Rest[:min(len(res.Rest), 20)], " "))
				}
			})
		},
	}
	c.Flags().Int64Var(&req.Record, "record", 0, "a text of this record of the journal")
	c.Flags().StringVar(&req.Member, "member", "", "which text of the record, or of the version: summary, change/what, reason …")
	listFlag(c.Flags(), &also, "also", "a further content or text that goes at the same time, by its SHA-256")
	c.Flags().StringVar(&req.Reason, "reason", "", "why")
	c.Flags().BoolVar(&req.Everywhere, "everywhere", false, "also where other versions or records have the same bytes")
	c.Flags().BoolVar(&req.DryRun, "dry-run", false, "only say what would be lost")
	return c
}

func newJournal(r *runner) *cobra.Command {
	var req api.RecordsRequest
	c := &cobra.Command{
		Use:   "journal",
		Short: "List the records of the journal, or find some",
		Long: `List the records of the journal, the oldest first or with --newest the newest
first; all of them, or those of one kind, by one actor, about something that
has a name, or with a text in them.`,
		Example: `  brenner journal --after 100 --limit 20
  brenner journal --newest --kind status.decided --about oxygen-log`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := ask(r, cmd, api.Service.Records, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				for _, rec := range res.Records {
					w.Printf("#%d %s %s (%s) %s %s\n", rec.Seq, instant(rec.At), rec.Actor, rec.Auth, rec.Kind, oneLine(printable(gist(rec)), 100))
				}
				switch {
				case res.More && req.Newest:
					w.Printf("more: add --before %d\n", res.Last)
				case res.More:
					w.Printf("more: add --after %d\n", res.Last)
				}
			})
		},
	}
	c.Flags().Int64Var(&req.After, "after", 0, "only records after this position")
	c.Flags().Int64Var(&req.Before, "before", 0, "only records before this position")
	c.Flags().BoolVar(&req.Newest, "newest", false, "the newest first")
	c.Flags().StringVar(&req.Kind, "kind", "", "only records of this kind, such as status.decided")
	c.Flags().StringVar((*string)(&req.Actor), "actor", "", "only records by this actor")
	c.Flags().StringVar(&req.About, "about", "", "only records that name this artifact, session, task …")
	c.Flags().StringVar(&req.Text, "text", "", "only records that contain this text")
	addQuantity(c.Flags(), &req.Limit, brenner.MaxPage, "limit", "at most this many", fmt.Sprint(brenner.DefaultPage))
	return c
}

// gist is what a record says, in short: of what happened by itself why, of
// anything else its payload.
func gist(rec api.RecordInfo) string {
	var f api.Firing
	if rec.Actor != "system" || json.Unmarshal(rec.Payload, &f) != nil || f.Rule == "" {
		return string(rec.Payload)
	}
	return fmt.Sprintf("%s, because of record %d: %s", f.Rule, f.Event.Seq, f.Why)
}

// forceWords say what --force does where a command writes a file.
const forceWords = "replace a file that stands there"

// writeNew writes a whole file or nothing, and replaces none unless it is told to.
func (r *runner) writeNew(name string, data []byte, force bool) error {
	if info, err := os.Stat(r.path(name)); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !force {
		return brenner.Errorf(brenner.CodeAlreadyExists, "%s stands there already", printable(name)).
			WithHint("choose another name, or say --force to replace it")
	}
	return r.replaceFile(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// replaceFile writes a file beside its place and moves it there once it is
// whole, so that nothing half written is ever found under the name. A device or a
// pipe is written to, never replaced.
func (r *runner) replaceFile(name string, fill func(io.Writer) error) error {
	path := r.path(name)
	if err := patchfs.BelowGit(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeInto(path, name, fill)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".brenner-*")
	if err != nil {
		return fileError(name, err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	if err := fill(tmp); err != nil {
		_ = tmp.Close()
		var path *os.PathError
		if errors.As(err, &path) && path.Path == tmp.Name() {
			return fileError(name, err)
		}
		return err
	}
	if err := tmp.Sync(); err != nil {
		_ = tmp.Close()
		return fileError(name, err)
	}
	if err := tmp.Close(); err != nil {
		return fileError(name, err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fileError(name, err)
	}
	return nil
}

// writeInto writes to what is there and is no file.
func writeInto(path, name string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fileError(name, err)
	}
	err = fill(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	var at *os.PathError
	if errors.As(err, &at) {
		return fileError(name, err)
	}
	return err
}
