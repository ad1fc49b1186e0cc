package web

import (
	"strings"

	"brenner/internal/api"
)

// journalPage is a stretch of the journal, newest first.
type journalPage struct {
	Records []api.RecordInfo
	Size    int64
	// Older and Newer are positions to go on from, 0 if there is nothing.
	Older, Newer int64
	// Looked is how many records a search looked through.
	Looked int
}

// searched is how many records one search looks through.
const searched = 1000

func loadJournal(v *visit) (string, any, error) {
	size := v.project.Size
	before := v.number("before") // records up to this position
	if before == 0 || before > size {
		before = size
	}
	text, span := strings.ToLower(v.query("q")), int64(perPage)
	if text != "" {
		span = searched
	}
	after := max(before-span, 0)
	list, err := v.svc.Records(v.Context(), api.RecordsRequest{After: after, Limit: int(before - after)})
	if err != nil {
		return "", nil, err
	}
	out := journalPage{Size: size, Older: after, Looked: len(list.Records)}
	if before < size {
		out.Newer = min(before+span, size)
	}
	for i := len(list.Records) - 1; i >= 0 && len(out.Records) < 4*perPage; i-- {
		r := list.Records[i]
		if text == "" || mentions(r, text) {
			out.Records = append(out.Records, r)
		}
	}
	return "Journal", out, nil
}

// mentions reports whether a record has a text in what it says of itself.
func mentions(r api.RecordInfo, text string) bool {
	return strings.Contains(strings.ToLower(r.Kind+" "+string(r.Actor)+" "+string(r.Role)+" "+string(r.Payload)), text)
}

// journalActs check the journal. A check changes nothing; it is a form because
// it takes a while.
var journalActs = map[string]act{
	"verify": func(v *visit) (string, error) {
		res, err := v.svc.Verify(v.Context(), api.VerifyRequest{Quick: v.field("quick") != ""})
		if err == nil {
			v.result = res
		}
		return "", err
	},
}
