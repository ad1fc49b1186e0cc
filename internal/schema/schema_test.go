package schema_test

import (
	"reflect"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/schema"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type inner struct {
	Ref  brenner.Ref    `json:"ref"`
	More *inner         `json:"more,omitzero"`
	Any  jsontext.Value `json:"any,omitzero"`
}

type outer struct {
	api.Write
	api.Page
	At    time.Time      `json:"at"`
	For   api.Duration   `json:"for,omitzero"`
	In    []inner        `json:"in,omitempty"`
	Count map[string]int `json:"count"`
	Raw   []byte         `json:"raw,omitzero"`
	Fn    func()         `json:"-"`
}

func TestOf_DescribesTypesAsJSONHasThem(t *testing.T) {
	got := string(canon.MustMarshal(schema.Writer{Depth: 2}.Of(reflect.TypeFor[outer]())))
	want := `{"properties":{"at":{"format":"date-time","type":"string"},"count":{"additionalProperties":{"type":"integer"},"type":"object"},` +
		`"cursor":{"type":"string"},"for":{"type":"string"},` +
		`"in":{"items":{"properties":{"any":{},"more":{"type":"object"},"ref":{"type":"string"}},"required":["ref"],"type":"object"},"type":"array"},` +
		`"limit":{"type":"integer"},"raw":{"contentEncoding":"base64","type":"string"}},"required":["at","count"],"type":"object"}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Every name that Fields gives is a member that the JSON library writes.
func TestFields_AreWhatTheLibraryWrites(t *testing.T) {
	n := 1
	v := api.ArtifactView{Stale: []brenner.Ref{{}}, Task: "t", Canonical: brenner.Version(n)}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, f := range schema.Fields(reflect.TypeFor[api.ArtifactView]()) {
		named[f.Name] = true
		if _, there := members[f.Name]; !there && !f.Optional {
			t.Errorf("%s is not written", f.Name)
		}
	}
	for name := range members {
		if !named[name] {
			t.Errorf("%s is written and not described", name)
		}
	}
}
