package web

import (
	"net/url"
	"strconv"

	"brenner"
	"brenner/api"
)

// journalPage is a stretch of the journal, newest first.
type journalPage struct {
	Records []api.RecordInfo
	Size    int64
	// Older is the address to go on from, empty if there is nothing older;
	// Looked is how far back a search has looked.
	Older  string
	Looked int64
	// Newest is the address of the first page.
	Newest string
	// Searched says that not every record is shown, Whole that one is, with all
	// it says.
	Searched, Whole bool
}

// recordsShown is how many records a page shows.
const recordsShown = 40

func loadJournal(v *visit) (string, any, error) {
	req := api.RecordsRequest{
		Newest: true, Limit: recordsShown, Before: v.number("before"),
		Kind: v.query("kind"), Actor: brenner.ActorName(v.query("actor")), About: v.query("about"), Text: v.query("q"),
	}
	whole := v.number("record")
	if whole > 0 {
		req = api.RecordsRequest{After: whole - 1, Before: whole + 1}
	}
	list, err := v.svc.Records(v.Context(), req)
	out := journalPage{
		Records: list.Records, Size: v.project.Size, Looked: list.Last, Newest: v.with("before", ""),
		Searched: req.Kind+string(req.Actor)+req.About+req.Text != "", Whole: whole > 0,
	}
	if list.More {
		out.Older = v.with("before", strconv.FormatInt(list.Last, 10))
	}
	return "Journal", out, err
}

// with is the address of this page with one parameter changed.
func (v *visit) with(name, value string) string {
	q := v.URL.Query()
	q.Set(name, value)
	if value == "" {
		q.Del(name)
	}
	q.Del("done")
	return (&url.URL{Path: v.URL.Path, RawQuery: q.Encode()}).String()
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
