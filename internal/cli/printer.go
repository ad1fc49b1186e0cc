package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"brenner"
)

// printer writes what a command has to say. A write that fails ends it: nothing
// more is written, and Flush tells of the failure. Those who print therefore
// look at no result; the command is over only after Flush.
type printer struct {
	*bufio.Writer
	look look
}

func newPrinter(w io.Writer) *printer { return &printer{Writer: bufio.NewWriter(destination{w})} }

// Printf, Println and Print are those of fmt; the failure is kept by the writer.
func (p *printer) Printf(format string, a ...any) { _, _ = fmt.Fprintf(p.Writer, format, a...) }
func (p *printer) Println(a ...any)               { _, _ = fmt.Fprintln(p.Writer, a...) }
func (p *printer) Print(a ...any)                 { _, _ = fmt.Fprint(p.Writer, a...) }

// textOf gives what would be printed into a pipe.
func textOf(print func(w *printer)) string { return look{}.textOf(print) }

// textOf gives what would be printed.
func (l look) textOf(print func(w *printer)) string {
	var b strings.Builder
	p := newPrinter(&b)
	p.look = l
	print(p)
	_ = p.Flush() // a builder takes everything
	return b.String()
}

// destination is where a printer's words go; it gives a failure its code.
type destination struct{ w io.Writer }

func (d destination) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	if err != nil {
		err = brenner.Errorf(brenner.CodeOutputFailed, "the answer could not be written: %v", withoutPath(err)).Because(err)
	}
	return n, err
}

// note tells people something beside the answer, on standard error, in the
// order in which things were said. Nobody reads it where standard error is lost.
func (r *runner) note(format string, a ...any) {
	_ = r.out.Flush() // a failure is kept, and told at the end
	_, _ = fmt.Fprintf(r.env.Err, format, a...)
}
