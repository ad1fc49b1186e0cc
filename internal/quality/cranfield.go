package quality

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Text is one text of a collection.
type Text struct{ ID, Summary, Body string }

// Question is something asked of a collection, and what answers it.
type Question struct {
	Text     string
	Relevant map[string]bool
}

// Collection is texts and questions about them.
type Collection struct {
	Texts     []Text
	Questions []Question
}

// ErrMissing says that a collection is not on this machine.
var ErrMissing = errors.New("the collection is not there")

// shared is where data lies that is no part of the project: a directory named
// shared beside one of those the project is in.
func shared(name string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		path := filepath.Join(dir, "shared", "data", name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ErrMissing
		}
		dir = up
	}
}

var (
	docRE   = regexp.MustCompile(`(?s)<docno>\s*(\d+)\s*</docno>\s*<title>(.*?)</title>.*?<text>(.*?)</text>`)
	queryRE = regexp.MustCompile(`(?s)<title>(.*?)</title>`)
)

// Cranfield reads the Cranfield collection: 1,398 abstracts that are not empty, the
// title as the summary, and 225 questions. It reports ErrMissing where it is not there.
func Cranfield() (Collection, error) {
	dir, err := shared("cranfield")
	if err != nil {
		return Collection{}, err
	}
	var files [3]string
	for i, name := range []string{"cran.all.1400.xml", "cran.qry.xml", "cranqrel.trec.txt"} {
		data, err := fs.ReadFile(os.DirFS(dir), name)
		if err != nil {
			return Collection{}, err
		}
		files[i] = string(data)
	}
	var c Collection
	for _, m := range docRE.FindAllStringSubmatch(files[0], -1) {
		title := strings.Join(strings.Fields(m[2]), " ")
		body := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(m[3]), strings.TrimSpace(m[2])))
		if title != "" { // two are empty
			c.Texts = append(c.Texts, Text{ID: "cran-" + m[1], Summary: title, Body: cmp.Or(body, title)})
		}
	}
	for _, m := range queryRE.FindAllStringSubmatch(files[1], -1) {
		c.Questions = append(c.Questions, Question{Text: strings.Join(strings.Fields(m[1]), " "), Relevant: map[string]bool{}})
	}
	// Judgements number the questions as they stand in the file.
	for line := range strings.Lines(files[2]) {
		var question, zero, grade int
		var doc string
		if n, _ := fmt.Sscan(line, &question, &zero, &doc, &grade); n == 4 && grade > 0 && question <= len(c.Questions) {
			c.Questions[question-1].Relevant["cran-"+doc] = true
		}
	}
	return c, nil
}
