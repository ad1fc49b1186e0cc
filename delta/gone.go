package delta

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Gone is what an item said that no longer stands: all that a killed one said,
// and what was written of a live one, some of which was replaced.
type Gone struct {
	Item   ItemID
	Killed bool
	Text   string
}

// Words says where words are that stand nowhere else.
func (g Gone) Words() string {
	if g.Killed {
		return "only in " + string(g.Item) + ", killed"
	}
	return "only in what " + string(g.Item) + " said before"
}

// Standing gives in plain words what stands in a document, why items were killed
// included, and what was said in it besides, item by item.
func (a *Artifact) Standing() (stands string, gone []Gone) {
	var b strings.Builder
	b.WriteString(a.meta.Question + "\n")
	for _, it := range a.all() {
		if death := it.Killed(); death != nil {
			b.WriteString(death.Reason + "\n")
			gone = append(gone, Gone{it.ID(), true, passageOf(a, it, true).Text}, Gone{it.ID(), true, written(it)})
			continue
		}
		b.WriteString(passageOf(a, it, true).Text + "\n")
		if len(it.log) > 1 {
			gone = append(gone, Gone{Item: it.ID(), Text: written(it)})
		}
	}
	return b.String(), gone
}

// written are the texts that were ever written of an item.
func written(it *Item) string {
	var b strings.Builder
	for _, e := range it.log {
		for _, p := range objectPairs(e.payload) {
			dec := jsontext.NewDecoder(bytes.NewReader([]byte(p.value)))
			for {
				tok, err := dec.ReadToken()
				if err != nil {
					break
				}
				if tok.Kind() == '"' || tok.Kind() == '0' {
					b.WriteString(tok.String() + "\n")
				}
			}
		}
	}
	return b.String()
}
