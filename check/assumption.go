package check

import (
	"strconv"
	"strings"

	"brenner"
	"brenner/artifact"
	"brenner/canon"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Assumption is something that is taken for granted or claimed: the content of
// an assumption artifact, or one claim of another type.
type Assumption struct {
	Ref    brenner.Ref
	Module brenner.Module
	// Place is where in the artifact it stands, a JSON pointer; empty for an
	// artifact that is one assumption.
	Place     string
	Statement string
	// Subject, Relation and Value say it for programs; an assumption without
	// all of them is compared by its statement only. Denied turns it round.
	Subject  string
	Relation string
	Value    string
	Denied   bool
	// Condition says when it holds; empty: always.
	Condition string
}

// rawAssumption is an assumption as it is written.
type rawAssumption struct {
	Statement string         `json:"statement"`
	Text      string         `json:"text"` // of a claim of a paper note
	Subject   string         `json:"subject"`
	Relation  string         `json:"relation"`
	Value     jsontext.Value `json:"value"`
	Polarity  string         `json:"polarity"`
	Condition string         `json:"condition"`
	Status    string         `json:"status"`
}

// ParseAssumption reads the content of an assumption artifact; what it does not
// know it leaves alone. An assumption that was falsified is no longer one: held
// is then false. It reports INVALID_JSON.
func ParseAssumption(ref brenner.Ref, module brenner.Module, content jsontext.Value) (a Assumption, held bool, err error) {
	if err := canon.Check(content); err != nil {
		return Assumption{}, false, err
	}
	return parseAssumption(ref, module, content)
}

func parseAssumption(ref brenner.Ref, module brenner.Module, content jsontext.Value) (a Assumption, held bool, err error) {
	var raw rawAssumption
	if err := json.Unmarshal(content, &raw); err != nil {
		return Assumption{}, false, brenner.Errorf(brenner.CodeInvalidJSON, "not the content of an assumption").Because(err).
			WithHint("the type has its schema").Try(brenner.Do("artifact.types", "name", "assumption"))
	}
	value := string(raw.Value)
	if raw.Value.Kind() == '"' {
		if err := json.Unmarshal(raw.Value, &value); err != nil {
			return Assumption{}, false, err
		}
	}
	if raw.Statement == "" {
		raw.Statement = raw.Text
	}
	return Assumption{
		Ref: ref, Module: module, Statement: raw.Statement, Subject: raw.Subject, Relation: raw.Relation, Value: value,
		Denied: raw.Polarity == "denied", Condition: raw.Condition,
	}, raw.Status != "falsified", nil
}

// claiming lists the types that make claims and the members that hold them.
var claiming = map[brenner.TypeName][]string{
	artifact.TypeAssumption:     {""},
	artifact.TypeModelSpec:      {"/assumptions", "/predictions"},
	artifact.TypePaperNote:      {"/claims"},
	artifact.TypeAnalysisResult: {"/result", "/interpretation"},
	artifact.TypeIntegratedMemo: {"/highlights"},
}

// ClaimingTypes lists the types that Claims reads, in order.
func ClaimingTypes() []brenner.TypeName {
	return []brenner.TypeName{
		artifact.TypeAnalysisResult, artifact.TypeAssumption, artifact.TypeIntegratedMemo, artifact.TypeModelSpec, artifact.TypePaperNote,
	}
}

// Claims reads what an artifact claims: an assumption, those of a model, the
// claims of a paper note, a result, the highlights of a memo. Other types, and
// text that is no JSON, claim nothing that a program could read. It reports
// INVALID_JSON for the content of an assumption that is none; elsewhere it
// passes over what it does not understand.
func Claims(ref brenner.Ref, module brenner.Module, typ brenner.TypeName, content artifact.Content) ([]Assumption, error) {
	if content.Format != artifact.JSON {
		return nil, nil
	}
	if typ == artifact.TypeAssumption {
		a, held, err := ParseAssumption(ref, module, jsontext.Value(content.Data))
		if err != nil || !held {
			return nil, err
		}
		return []Assumption{a}, nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(content.Data, &members); err != nil {
		return nil, nil //nolint:nilerr // a result may be any JSON
	}
	var out []Assumption
	for _, place := range claiming[typ] {
		value := members[strings.TrimPrefix(place, "/")]
		if value.Kind() != '[' {
			out = appendClaim(out, ref, module, place, value)
			continue
		}
		var list []jsontext.Value
		if err := json.Unmarshal(value, &list); err != nil {
			continue
		}
		for i, item := range list {
			out = appendClaim(out, ref, module, place+"/"+strconv.Itoa(i), item)
		}
	}
	return out, nil
}

// appendClaim adds a claim that is a sentence or an object.
func appendClaim(out []Assumption, ref brenner.Ref, module brenner.Module, place string, value jsontext.Value) []Assumption {
	a := Assumption{Ref: ref, Module: module}
	switch value.Kind() {
	case '"':
		if json.Unmarshal(value, &a.Statement) != nil {
			return out
		}
	case '{':
		parsed, held, err := parseAssumption(ref, module, value)
		if err != nil || !held {
			return out
		}
		a = parsed
	}
	if strings.TrimSpace(a.Statement) == "" && a.Subject == "" {
		return out
	}
	a.Place = place
	return append(out, a)
}
