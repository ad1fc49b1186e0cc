package checkout

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/config"

	"github.com/go-json-experiment/json/jsontext"
)

// split parts the front matter of a file from its content. matter is nil if
// there is none; it keeps a line in place of the opening fence, so that line
// numbers are those of the file. One empty line after it is not content.
func split(src []byte) (matter, body []byte, err error) {
	rest, ok := cutLine(bytes.TrimPrefix(src, []byte("\uFEFF")), fence)
	if !ok {
		return nil, src, nil
	}
	for at := 0; at <= len(rest); {
		if at > brenner.MaxFrontMatterBytes {
			return nil, nil, brenner.Errorf(brenner.CodeLimitExceeded, "the front matter is larger than %d bytes", brenner.MaxFrontMatterBytes)
		}
		if body, ok := cutLine(rest[at:], fence); ok {
			if after, ok := cutLine(body, ""); ok {
				body = after
			}
			return append([]byte("\n"), rest[:at]...), body, nil
		}
		next := bytes.IndexByte(rest[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return nil, nil, badMatter("the front matter does not end").
		WithHint("end it with a line of three hyphens; a file that is not to have one must not start with that line")
}

// cutLine cuts a line of that text from the front, whatever its line ending.
func cutLine(b []byte, line string) (rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(b, []byte(line))
	if !ok {
		return b, false
	}
	for _, end := range []string{"\n", "\r\n"} {
		if after, ok := bytes.CutPrefix(rest, []byte(end)); ok {
			return after, true
		}
	}
	return rest, line != "" && len(rest) == 0
}

// front is the front matter as JSON. Links are REL:ID@VERSION.
type front struct {
	ID      brenner.ArtifactID `json:"id"`
	Type    brenner.TypeName   `json:"type"`
	Module  brenner.Module     `json:"module"`
	Version brenner.Version    `json:"version"`
	Status  artifact.Status    `json:"status"`
	Summary string             `json:"summary"`
	Tags    []string           `json:"tags"`
	Links   []string           `json:"links"`
	SHA256  brenner.Digest     `json:"content_sha256"`
	Format  artifact.Format    `json:"format"`
}

func parseMatter(matter []byte) (Document, error) {
	raw, err := readYAML(matter)
	if err != nil {
		return Document{}, err
	}
	var f front
	if err := canon.Unmarshal(raw, &f); err != nil {
		return Document{}, asMatter(err)
	}
	return f.document()
}

// readYAML reads front matter as JSON.
func readYAML(matter []byte) (jsontext.Value, error) {
	raw, err := config.YAML("front matter", matter)
	if brenner.CodeOf(err) == brenner.CodeInvalidConfig {
		var e *brenner.Error
		errors.As(err, &e)
		return nil, badMatter("%s", e.Message).WithHint(e.Hint).Because(err)
	}
	return raw, err
}

// asMatter makes a refusal of the JSON one of the front matter.
func asMatter(err error) error {
	var e *brenner.Error
	if !errors.As(err, &e) {
		return err
	}
	return badMatter("front matter: %s", e.Message).At(e.Pointer).Because(err).
		WithHint("put a value that is text in quotes; fields: id, type, module, version, status, summary, tags, links, content_sha256, format")
}

// document checks every name, because names become paths.
func (f front) document() (Document, error) {
	d := Document{
		ID: f.ID, Type: f.Type, Module: f.Module, Version: f.Version, Status: f.Status,
		Summary: f.Summary, Tags: f.Tags, SHA256: f.SHA256, Format: f.Format,
	}
	if err := checkNames(d); err != nil {
		return Document{}, err
	}
	var err error
	d.Links, err = parseLinks(f.Links)
	return d, err
}

// checkNames checks the names that a document has.
func checkNames(d Document) error {
	for _, n := range []struct {
		given string
		check func() error
	}{
		{string(d.ID), d.ID.Check},
		{string(d.Type), d.Type.Check},
		{string(d.Module), d.Module.Check},
	} {
		if n.given == "" {
			continue
		}
		if err := n.check(); err != nil {
			return err
		}
	}
	return nil
}

func parseLinks(words []string) ([]artifact.Link, error) {
	var out []artifact.Link
	for i, s := range words {
		rel, target, ok := strings.Cut(s, ":")
		if !ok {
			return nil, badMatter("%q is not a link", s).At(fmt.Sprintf("/links/%d", i)).
				WithHint("write REL:ID@VERSION in quotes, for example \"cites:smith-2024@2\"")
		}
		ref, err := brenner.ParseRef(strings.TrimSpace(target))
		if err != nil {
			return nil, err
		}
		out = append(out, artifact.Link{Rel: artifact.Relation(rel), Artifact: ref.Artifact, Version: ref.Version})
	}
	return out, nil
}

func badMatter(format string, args ...any) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidFrontMatter, format, args...)
}
