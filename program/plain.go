package program

import (
	"strings"

	"brenner"
)

// plainReader takes everything that a command prints for its reply.
type plainReader struct {
	reply strings.Builder
}

func (r *plainReader) Line(line []byte) []Event {
	if r.reply.Len()+len(line) < brenner.MaxReplyBytes {
		r.reply.Write(line)
		r.reply.WriteByte('\n')
	}
	return []Event{{Does: "writes"}}
}

func (r *plainReader) Usage() Usage { return Usage{} }

func (r *plainReader) End(x Exit) Result {
	out := Result{Reply: r.reply.String()}
	if x.Code != 0 {
		// A command that fails has not answered, whatever it printed.
		out.Cause, out.Said, out.Reply = ByWords(x.Errors), said(out.Reply+" "+x.Errors), ""
	}
	return ended(out, x, true)
}
