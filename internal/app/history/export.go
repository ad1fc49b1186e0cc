package history

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"

	"github.com/go-json-experiment/json/jsontext"
)

// An export is JSON Lines: a header, every content, every record, a footer
// that says what must have arrived (J5). Contents come first, so that an
// import can build its full-text index as it reads.
const (
	// exportVersion is the one written; every earlier one is read. Since 2 the
	// footer says which form of the tables its digest is over; since 3 the free
	// text of records stands there by its hash, among the contents.
	exportVersion = 3
)

// exportLine is one line; exactly one field is set.
type exportLine struct {
	Header *exportHeader  `json:"header,omitzero"`
	Blob   *exportBlob    `json:"blob,omitzero"`
	Record jsontext.Value `json:"record,omitzero"`
	Footer *exportFooter  `json:"footer,omitzero"`
}

type exportHeader struct {
	Format  string        `json:"format"`
	Version int           `json:"version"`
	Project store.Project `json:"project"`
}

type exportBlob struct {
	SHA256   brenner.Digest `json:"sha256"`
	Data     []byte         `json:"data"` // base64
	Redacted bool           `json:"redacted,omitzero"`
}

type exportFooter struct {
	Records int64          `json:"records"`
	Blobs   int64          `json:"blobs"`
	Root    string         `json:"root"`
	Digest  brenner.Digest `json:"digest"`
	// DigestVersion is journal.DigestVersion; 0 in exports that did not say.
	DigestVersion int `json:"digest_version,omitzero"`
}

// Export implements api.Journal.
func (s *Service) Export(ctx context.Context, w io.Writer) (api.ExportResult, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Audit, "export"), func(c *kernel.Call) (api.ExportResult, error) {
		out := bufio.NewWriterSize(w, 1<<16)
		foot, err := exportTo(c, out)
		if err != nil {
			return api.ExportResult{}, err
		}
		return api.ExportResult(foot), out.Flush()
	})
}

func exportTo(c *kernel.Call, w io.Writer) (exportFooter, error) {
	line := func(l exportLine) error {
		b, err := canon.Marshal(l)
		if err != nil {
			return err
		}
		_, err = w.Write(append(b, '\n'))
		return err
	}
	p, err := c.Reader.Project(c.Ctx)
	if err != nil {
		return exportFooter{}, err
	}
	foot := exportFooter{DigestVersion: journal.DigestVersion}
	if err := line(exportLine{Header: &exportHeader{api.ExportFormat, exportVersion, p}}); err != nil {
		return foot, err
	}
	err = c.EachBlob(c.Ctx, func(d brenner.Digest, data []byte) error {
		foot.Blobs++
		if data != nil {
			return writeBlob(w, d, data)
		}
		return line(exportLine{Blob: &exportBlob{SHA256: d, Redacted: true}})
	})
	if err != nil {
		return foot, err
	}
	err = journal.Each(c.Ctx, c.Reader, 0, func(row store.Record) error {
		foot.Records++
		return line(exportLine{Record: row.Data})
	})
	if err != nil {
		return foot, err
	}
	root, err := journal.Root(c.Ctx, c.Reader, foot.Records)
	if err != nil {
		return foot, err
	}
	foot.Root = root.String()
	if foot.Digest, err = journal.Digest(c.Ctx, c.Reader); err != nil {
		return foot, err
	}
	return foot, line(exportLine{Footer: &foot})
}

// writeBlob writes the line of a content as canon would, without holding another
// copy of it.
func writeBlob(w io.Writer, d brenner.Digest, data []byte) error {
	if _, err := io.WriteString(w, `{"blob":{"data":"`); err != nil {
		return err
	}
	b64 := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := b64.Write(data); err != nil {
		return err
	}
	if err := b64.Close(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\",\"sha256\":%q}}\n", d)
	return err
}

// Import reads an export of any version into an empty store: all of it, and
// only if what arrived has the root that was exported, and the state digest
// where it is over tables of the form that they have now (J8).
func (a *Room) Import(ctx context.Context, r io.Reader, tell api.Progress) (api.ImportResult, error) {
	var out api.ImportResult
	if tell == nil {
		tell = func(string, int64, int64) {}
	}
	err := a.Store().Write(ctx, func(tx store.Tx) error {
		in := &importer{ctx: ctx, tx: tx, kinds: a.Kinds(), tell: tell, stored: map[brenner.ActorName]int64{}, seen: map[brenner.Digest]bool{}, gone: map[brenner.Digest]bool{}}
		if err := in.read(r); err != nil {
			return err
		}
		for _, actor := range slices.Sorted(maps.Keys(in.stored)) {
			if err := tx.AddStored(ctx, actor, in.stored[actor]); err != nil {
				return err
			}
		}
		err := in.check()
		out = in.out
		return err
	})
	return out, err
}

// importer is one import under way.
type importer struct {
	ctx    context.Context
	tx     store.Tx
	kinds  *kernel.Kinds
	tell   api.Progress
	line   int
	footer *exportFooter
	out    api.ImportResult
	stored map[brenner.ActorName]int64
	seen   map[brenner.Digest]bool
	// gone are contents that are marked as redacted and no record said so yet.
	gone map[brenner.Digest]bool
}

func (in *importer) bad(format string, args ...any) *brenner.Error {
	return brenner.Errorf(brenner.CodeImportInvalid, "line %d: %s", in.line, fmt.Sprintf(format, args...))
}

func (in *importer) read(r io.Reader) error {
	br := bufio.NewReaderSize(r, 1<<16)
	for {
		raw, err := readLine(br, brenner.MaxImportLineBytes)
		in.line++
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, errLineTooLong) {
			return brenner.Errorf(brenner.CodeLimitExceeded, "line %d of the export is longer than %d bytes", in.line, brenner.MaxImportLineBytes)
		}
		if err != nil {
			return in.bad("cannot be read").Because(err)
		}
		var l exportLine
		if err := canon.Unmarshal(raw, &l); err != nil {
			return in.bad("is not a line of an export").Because(err)
		}
		if err := in.apply(l); err != nil {
			return err
		}
		if err := in.ctx.Err(); err != nil {
			return err
		}
	}
}

func (in *importer) apply(l exportLine) error {
	if (l.Header == nil) == (in.line == 1) {
		return in.bad("a header stands on the first line and nowhere else")
	}
	if in.footer != nil {
		return in.bad("something follows the footer")
	}
	switch {
	case l.Header != nil:
		return in.header(*l.Header)
	case l.Blob != nil:
		return in.blob(*l.Blob)
	case l.Record != nil:
		return in.record(l.Record)
	case l.Footer != nil:
		in.footer = l.Footer
		return nil
	}
	return in.bad("is empty")
}

func (in *importer) header(h exportHeader) error {
	if h.Format != api.ExportFormat {
		return in.bad("%q is not the format of our exports", h.Format)
	}
	if h.Version < 1 || h.Version > exportVersion {
		return in.bad("format version %d is not known here", h.Version).WithHint("import it with a newer Brenner")
	}
	in.out.Project, in.out.Name = h.Project.ID, h.Project.Name
	return in.tx.Init(in.ctx, h.Project)
}

func (in *importer) blob(b exportBlob) error {
	in.out.Blobs++
	if err := b.SHA256.Check(); err != nil {
		return in.bad("has no digest")
	}
	if !b.Redacted && canon.Sum(b.Data) != b.SHA256 {
		return in.bad("content %s is damaged", b.SHA256)
	}
	if b.Redacted {
		in.gone[b.SHA256] = true
		return in.tx.RedactBlob(in.ctx, b.SHA256)
	}
	return in.tx.PutBlob(in.ctx, b.SHA256, b.Data)
}

func (in *importer) record(raw jsontext.Value) error {
	in.out.Records++
	var rec journal.Record
	if err := canon.Unmarshal(raw, &rec); err != nil {
		return in.bad("is not a record").Because(err)
	}
	if rec.Seq != in.out.Records {
		return in.bad("record %d stands where record %d should", rec.Seq, in.out.Records)
	}
	// Canonical bytes are hashed: the line must be exactly what was stored.
	if again := canon.MustMarshal(rec); !bytes.Equal(again, bytes.TrimSpace(raw)) {
		return in.bad("record %d is not in canonical form", rec.Seq)
	}
	if in.out.Records%1000 == 0 {
		in.tell("records", in.out.Records, 0)
	}
	if err := in.kinds.Apply(in.ctx, in.tx, rec); err != nil {
		var ours *brenner.Error
		if errors.As(err, &ours) && brenner.ClassOf(ours.Code) == brenner.ClassUnavailable {
			return err
		}
		return in.bad("record %d does not fit what comes before it", rec.Seq).Because(err)
	}
	if rec.Kind == ledger.ContentRedacted.Name {
		var p ledger.Redacted
		if err := canon.Unmarshal(rec.Payload, &p); err != nil {
			return in.bad("record %d cannot be read", rec.Seq).Because(err)
		}
		delete(in.gone, p.Digest)
	}
	if err := in.count(rec); err != nil {
		return err
	}
	return journal.Append(in.ctx, in.tx, []journal.Record{rec})
}

// count adds what a record stored to what its actor has stored (X10).
func (in *importer) count(rec journal.Record) error {
	in.stored[rec.Actor] += kernel.Weight(rec)
	for _, d := range in.kinds.Stored(rec) {
		if in.seen[d] {
			continue
		}
		in.seen[d] = true
		_, size, err := in.tx.SmallBlob(in.ctx, d, 0)
		if err != nil && brenner.CodeOf(err) != brenner.CodeRedacted && brenner.CodeOf(err) != brenner.CodeNotFound {
			return err
		}
		in.stored[rec.Actor] += size
	}
	return nil
}

// check compares what arrived with what was sent.
func (in *importer) check() error {
	if in.footer == nil {
		return in.bad("the export ends without its footer: it was cut")
	}
	if gone := slices.Sorted(maps.Keys(in.gone)); len(gone) > 0 {
		return in.bad("content %s is marked as redacted, and no record says so", gone[0]).
			WithHint("the export was changed; take another one")
	}
	root, err := journal.Root(in.ctx, in.tx, in.out.Records)
	if err != nil {
		return err
	}
	digest, err := journal.Digest(in.ctx, in.tx)
	if err != nil {
		return err
	}
	in.out.Root, in.out.Digest = root.String(), digest
	arrived := exportFooter{in.out.Records, in.out.Blobs, in.out.Root, digest, journal.DigestVersion}
	if in.footer.DigestVersion != journal.DigestVersion {
		arrived.Digest, arrived.DigestVersion = in.footer.Digest, in.footer.DigestVersion
	}
	if arrived != *in.footer {
		return in.bad("what arrived is not what was exported: %+v, not %+v", arrived, *in.footer)
	}
	return nil
}

var errLineTooLong = errors.New("line too long")

// readLine reads one line of at most a number of bytes, without its newline.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > most {
			return nil, errLineTooLong
		}
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		default:
			return nil, err
		}
	}
}
