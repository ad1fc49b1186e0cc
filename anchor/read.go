package anchor

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads one patch, strictly. Whatever is not exactly the protocol is
// INVALID_PATCH with the JSON pointer of the offence; U+0000 is INVALID_TEXT;
// too large a patch or too many operations are LIMIT_EXCEEDED.
func Parse(raw []byte) (Patch, error) {
	if len(raw) > brenner.MaxPatchBytes {
		return Patch{}, brenner.Errorf(brenner.CodeLimitExceeded, "a patch of %d bytes; at most %d are allowed", len(raw), brenner.MaxPatchBytes)
	}
	if err := foreign(raw); err != nil {
		return Patch{}, err
	}
	if err := canon.Check(raw); err != nil {
		return Patch{}, asInvalidPatch(err)
	}
	if err := checkDialect(raw); err != nil {
		return Patch{}, err
	}
	if err := refuseNull(raw); err != nil {
		return Patch{}, err
	}
	var w wirePatch
	if err := canon.Unmarshal(raw, &w); err != nil {
		return Patch{}, asInvalidPatch(err)
	}
	p, err := w.patch()
	if err != nil {
		return Patch{}, err
	}
	return p, p.check()
}

// foreign recognises patches that are not JSON at all.
func foreign(raw []byte) error {
	head := string(bytes.TrimSpace(raw[:min(len(raw), 4096)]))
	for _, f := range []struct{ prefix, name, hint string }{
		{"diff --git", "a git diff", "write the change as anchors and blocks in JSON"},
		{"--- ", "a unified diff", "write the change as anchors and blocks in JSON"},
		{"*** Begin Patch", "an apply_patch block", "write the change as anchors and blocks in JSON"},
		{"<<<<<<<", "a search/replace block", "write the change as anchors and blocks in JSON"},
		{"```", "fenced with ```", "send the JSON without the fence"},
	} {
		if strings.HasPrefix(head, f.prefix) {
			return invalidPatch("", "this is %s, not an %s patch", f.name, ProtocolID).WithHint(f.hint)
		}
	}
	return nil
}

// relatives are the dialects that look like ours (P1).
var relatives = map[string]string{
	"diff_json_v1":     "it addresses lines by number; make the patch again with anchors",
	"anchor_diff_v2":   "set protocol_id to " + ProtocolID + " after checking the fields",
	"anchor_diff_v3":   "the document calls itself v3.0, the protocol_id it demands is " + ProtocolID,
	"anchor_diff_v3.0": "the document calls itself v3.0, the protocol_id it demands is " + ProtocolID,
	"json_diff":        "make the patch again with anchors",
}

// checkDialect looks at protocol_id before anything else, so that another
// dialect is named instead of drowned in unknown fields.
func checkDialect(raw []byte) error {
	switch jsontext.Value(bytes.TrimSpace(raw)).Kind() {
	case '[':
		return invalidPatch("", "a JSON array, as in RFC 6902, is not an %s patch", ProtocolID).
			WithHint("send one patch object at a time")
	case '{':
	default:
		return invalidPatch("", "a patch is a JSON object")
	}
	var doc struct {
		ID   jsontext.Value `json:"protocol_id"`
		Rest jsontext.Value `json:",embed"`
	}
	if err := canon.Unmarshal(raw, &doc); err != nil {
		return asInvalidPatch(err)
	}
	if doc.ID == nil {
		return invalidPatch("/protocol_id", "protocol_id is missing").WithHint(`it must be "` + ProtocolID + `"`)
	}
	id, err := jsontext.AppendUnquote(nil, doc.ID)
	switch {
	case err != nil:
		return invalidPatch("/protocol_id", "protocol_id is not a string").WithHint(`it must be "` + ProtocolID + `"`)
	case string(id) == ProtocolID:
		return nil
	}
	hint, known := relatives[strings.ToLower(string(id))]
	if !known {
		hint = `it must be exactly "` + ProtocolID + `"`
	}
	return invalidPatch("/protocol_id", "protocol %q is not %s", brenner.Clip(string(id), 80), ProtocolID).WithHint(hint)
}

// refuseNull refuses null anywhere but in meta: in the protocol a member has
// its type or is absent.
func refuseNull(raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil //nolint:nilerr // the end; canon.Check has seen every other error
		}
		at := string(dec.StackPointer())
		if tok.Kind() == 'n' && !strings.HasPrefix(at, "/meta/") {
			return invalidPatch(at, "null where a value was expected").WithHint("leave the field out instead")
		}
	}
}

func (w wirePatch) patch() (Patch, error) {
	p := Patch{Meta: w.Meta.Clone()}
	if p.Meta != nil {
		if p.Meta.Kind() != '{' {
			return p, invalidPatch("/meta", "meta is not an object")
		}
		if err := p.Meta.Compact(); err != nil {
			return p, invalidPatch("/meta", "meta is not valid JSON").Because(err)
		}
	}
	if w.Target == nil {
		return p, missing("", "target")
	}
	if w.Target.Path != nil {
		p.Path = *w.Target.Path
	}
	if w.Target.Base == nil {
		return p, missing("/target", "base_checksum_sha256")
	}
	p.Base = brenner.Digest(strings.ToLower(*w.Target.Base))
	if w.Result != nil {
		p.Result = brenner.Digest(strings.ToLower(*w.Result))
	}
	if w.OpGroups == nil {
		return p, missing("", "op_groups")
	}
	for i, g := range *w.OpGroups {
		group, err := g.group(fmt.Sprintf("/op_groups/%d", i))
		if err != nil {
			return p, err
		}
		p.Groups = append(p.Groups, group)
	}
	return p, nil
}

func (w wireGroup) group(at string) (Group, error) {
	if w.Targets == nil {
		return Group{}, missing(at, "targets")
	}
	var g Group
	for i, t := range *w.Targets {
		op, err := t.op(fmt.Sprintf("%s/targets/%d", at, i))
		if err != nil {
			return g, err
		}
		g.Ops = append(g.Ops, op)
	}
	g.Anchor.Mode = Exact
	if w.Anchor != nil && w.Anchor.Mode != nil {
		g.Anchor.Mode = MatchMode(*w.Anchor.Mode)
	}
	switch {
	case len(g.Ops) > 0 && g.Ops[0].Kind == ReplaceEntireFile: // the anchor is ignored
	case w.Anchor == nil:
		return g, missing(at, "anchor")
	case w.Anchor.Text == nil:
		return g, missing(at+"/anchor", "text")
	default:
		g.Anchor.Text = canonicalString(*w.Anchor.Text)
	}
	return g, nil
}

func (w wireOp) op(at string) (Op, error) {
	if w.Op == nil {
		return Op{}, missing(at, "op")
	}
	op := Op{Kind: OpKind(*w.Op)}
	if w.MatchIndex != nil {
		if op.Index = *w.MatchIndex; op.Index < 1 {
			return op, invalidPatch(at+"/match_index", "match_index is %d; it counts from 1", op.Index)
		}
	}
	old, err := w.block(at, "old_block", w.OldBlock, op.Kind != ReplaceEntireFile)
	if err != nil {
		return op, err
	}
	switch op.Kind {
	case ReplaceBlock:
		op.Old = old
		op.New, err = w.block(at, "new_block", w.NewBlock, true)
	case DeleteBlock:
		op.Old = old
		if w.NewBlock != nil && *w.NewBlock != "" {
			err = invalidPatch(at+"/new_block", "delete_block takes no new_block").WithHint("use replace_block to put text in its place")
		}
	case ReplaceEntireFile:
		op.New, err = w.block(at, "new_content", w.NewContent, true)
		if err == nil && w.NewBlock != nil {
			err = invalidPatch(at+"/new_block", "replace_entire_file takes new_content, not new_block")
		}
	default:
		return op, invalidPatch(at+"/op", "unknown operation %q", brenner.Clip(*w.Op, 80)).
			WithHint("use replace_block, delete_block or replace_entire_file")
	}
	if err == nil && w.NewContent != nil && op.Kind != ReplaceEntireFile {
		err = invalidPatch(at+"/new_content", "%s takes no new_content", op.Kind)
	}
	return op, err
}

func (w wireOp) block(at, name string, s *string, required bool) (string, error) {
	if s == nil {
		if required {
			return "", missing(at, name)
		}
		return "", nil
	}
	return canonicalString(*s), nil
}

// check holds the rules a patch must keep however it was made.
func (p Patch) check() error {
	if p.Base.Check() != nil {
		return invalidPatch("/target/base_checksum_sha256", "base_checksum_sha256 is not 64 hexadecimal digits").
			WithHint("it is the SHA-256 of the canonical base text")
	}
	if p.Result != "" && p.Result.Check() != nil {
		return invalidPatch("/result_sha256", "result_sha256 is not 64 hexadecimal digits").
			WithHint("leave it out if the result is not known")
	}
	if err := checkUTF8("/target/path", p.Path); err != nil {
		return err
	}
	count := 0
	for i, g := range p.Groups {
		at := fmt.Sprintf("/op_groups/%d", i)
		if len(g.Ops) == 0 {
			return invalidPatch(at+"/targets", "a group without operations")
		}
		if err := g.Anchor.check(at + "/anchor"); err != nil {
			return err
		}
		for j, op := range g.Ops {
			if err := op.check(opRef{i, j}.pointer()); err != nil {
				return err
			}
			if _, alone := p.entire(); op.Kind == ReplaceEntireFile && !alone {
				return invalidPatch(opRef{i, j}.pointer(), "replace_entire_file must be the only operation of its patch")
			}
		}
		count += len(g.Ops)
	}
	if count > brenner.MaxPatchOperations {
		return brenner.Errorf(brenner.CodeLimitExceeded, "a patch of %d operations; at most %d are allowed", count, brenner.MaxPatchOperations).
			WithHint("split it, or use replace_entire_file").At("/op_groups")
	}
	return nil
}

func (a Anchor) check(at string) error {
	switch a.mode() {
	case Exact:
	case IgnoreWhitespace:
		if a.Text != "" && strings.TrimSpace(a.Text) == "" {
			return invalidPatch(at+"/text", "an anchor of white space only cannot be matched with ignore_whitespace")
		}
	default:
		return invalidPatch(at+"/match_mode", "unknown match_mode %q", brenner.Clip(string(a.Mode), 80)).
			WithHint("use exact or ignore_whitespace")
	}
	return checkUTF8(at+"/text", a.Text)
}

func (op Op) check(at string) error {
	switch {
	case op.Kind == DeleteBlock && op.Old == "":
		return invalidPatch(at+"/old_block", "delete_block with an empty old_block deletes nothing")
	case op.Index < 0:
		return invalidPatch(at+"/match_index", "match_index is %d; it counts from 1", op.Index)
	}
	if err := checkUTF8(at+"/old_block", op.Old); err != nil {
		return err
	}
	if op.Kind == ReplaceEntireFile {
		return checkUTF8(at+"/new_content", op.New)
	}
	return checkUTF8(at+"/new_block", op.New)
}

// checkUTF8 refuses what no text and no JSON can hold.
func checkUTF8(at, s string) error {
	if !utf8.ValidString(s) {
		return invalidPatch(at, "the text is not UTF-8").WithHint("patches are made of UTF-8 texts")
	}
	return nil
}

func invalidPatch(pointer, format string, args ...any) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidPatch, format, args...).At(pointer)
}

func missing(at, name string) *brenner.Error {
	return invalidPatch(at+"/"+name, "%s is missing", name)
}

// asInvalidPatch gives a JSON fault its name in this protocol.
func asInvalidPatch(err error) error {
	var e *brenner.Error
	if !errors.As(err, &e) || e.Code != brenner.CodeInvalidJSON {
		return err
	}
	return invalidPatch(e.Pointer, "%s", e.Message).WithHint(e.Hint).Because(err)
}
