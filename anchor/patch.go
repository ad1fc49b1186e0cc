package anchor

import (
	"fmt"
	"strings"

	"brenner"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ProtocolID is the only dialect this package reads and writes (P1).
const ProtocolID = "anchor_diff_v2.1"

// Patch is a set of edits to one text. Its strings are canonical text.
type Patch struct {
	// Path names the file, relative to some root. It may be empty where the
	// text is named otherwise.
	Path string
	// Base is the checksum of the canonical text the patch was made for.
	Base brenner.Digest
	// Groups may stand in any order; the result is the same.
	Groups []Group
	// Result is the checksum of the canonical result, or "" if not promised.
	Result brenner.Digest
	// Meta is a JSON object carried along unread, or nil.
	Meta jsontext.Value
}

// Group is a number of operations that share an anchor.
type Group struct {
	Anchor Anchor
	// Ops name different occurrences of the anchor, or chain: each old block
	// following the previous one at the same occurrence.
	Ops []Op
}

// Anchor is a quotation from the base. The empty anchor is the start of the
// file.
type Anchor struct {
	Text string
	Mode MatchMode
}

// MatchMode says how an anchor is compared with the base.
type MatchMode string

// The match modes. The empty mode means Exact.
const (
	Exact            MatchMode = "exact"
	IgnoreWhitespace MatchMode = "ignore_whitespace"
)

// OpKind names what an operation does.
type OpKind string

// The operations.
const (
	ReplaceBlock      OpKind = "replace_block"
	DeleteBlock       OpKind = "delete_block"
	ReplaceEntireFile OpKind = "replace_entire_file"
)

// Op is one operation.
type Op struct {
	Kind OpKind
	// Index chooses an occurrence of the anchor, from 1, counting every start
	// position. With 0 the one occurrence followed by Old is meant.
	Index int
	// Old is the text that is taken away; empty in an insertion.
	Old string
	// New is the text that takes its place; for ReplaceEntireFile the whole
	// new content.
	New string
}

// opRef names an operation inside its patch.
type opRef struct{ group, op int }

func (r opRef) pointer() string {
	return fmt.Sprintf("/op_groups/%d/targets/%d", r.group, r.op)
}

// entire gives the new content if the patch replaces the whole file.
func (p Patch) entire() (string, bool) {
	if len(p.Groups) == 1 && len(p.Groups[0].Ops) == 1 && p.Groups[0].Ops[0].Kind == ReplaceEntireFile {
		return p.Groups[0].Ops[0].New, true
	}
	return "", false
}

// clone copies the patch so that its operations can be changed.
func (p Patch) clone() Patch {
	groups := make([]Group, len(p.Groups))
	for i, g := range p.Groups {
		groups[i] = Group{Anchor: g.Anchor, Ops: append([]Op(nil), g.Ops...)}
	}
	p.Groups = groups
	return p
}

// The wire forms. Pointers tell an absent member from an empty one.
type (
	wirePatch struct {
		ProtocolID string         `json:"protocol_id"`
		Target     *wireTarget    `json:"target"`
		OpGroups   *[]wireGroup   `json:"op_groups"`
		Result     *string        `json:"result_sha256,omitzero"`
		Meta       jsontext.Value `json:"meta,omitzero"`
	}
	wireTarget struct {
		Path *string `json:"path,omitzero"`
		Base *string `json:"base_checksum_sha256"`
	}
	wireGroup struct {
		Anchor  *wireAnchor `json:"anchor"`
		Targets *[]wireOp   `json:"targets"`
	}
	wireAnchor struct {
		Text *string `json:"text"`
		Mode *string `json:"match_mode,omitzero"`
	}
	wireOp struct {
		Op         *string `json:"op"`
		MatchIndex *int    `json:"match_index,omitzero"`
		OldBlock   *string `json:"old_block,omitzero"`
		NewBlock   *string `json:"new_block,omitzero"`
		NewContent *string `json:"new_content,omitzero"`
	}
)

// MarshalJSONTo writes the patch in the protocol's form; Parse reads it back
// unchanged.
func (p Patch) MarshalJSONTo(enc *jsontext.Encoder) error {
	groups := make([]wireGroup, len(p.Groups))
	for i, g := range p.Groups {
		ops := make([]wireOp, len(g.Ops))
		for j, op := range g.Ops {
			ops[j] = op.wire()
		}
		mode := string(g.Anchor.mode())
		groups[i] = wireGroup{Anchor: &wireAnchor{Text: escaped(g.Anchor.Text), Mode: &mode}, Targets: &ops}
	}
	base := string(p.Base)
	w := wirePatch{ProtocolID: ProtocolID, Target: &wireTarget{Base: &base}, OpGroups: &groups, Meta: p.Meta}
	if p.Path != "" {
		w.Target.Path = &p.Path
	}
	if p.Result != "" {
		result := string(p.Result)
		w.Result = &result
	}
	return json.MarshalEncode(enc, w)
}

// UnmarshalJSONFrom reads a patch as Parse does.
func (p *Patch) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*p, err = Parse(raw)
	return err
}

// JSON gives the patch indented, for files and people.
func (p Patch) JSON() []byte {
	raw, err := json.Marshal(p, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		panic(err) // a parsed or built patch always marshals
	}
	return append(raw, '\n')
}

func (op Op) wire() wireOp {
	kind := string(op.Kind)
	w := wireOp{Op: &kind}
	if op.Index != 0 {
		w.MatchIndex = &op.Index
	}
	switch op.Kind {
	case ReplaceEntireFile:
		w.NewContent = escaped(op.New)
	case DeleteBlock:
		w.OldBlock = escaped(op.Old)
	default:
		w.OldBlock, w.NewBlock = escaped(op.Old), escaped(op.New)
	}
	return w
}

// escaped protects a leading U+FEFF, of which reading removes one.
func escaped(s string) *string {
	if strings.HasPrefix(s, bom) {
		s = bom + s
	}
	return &s
}

func (a Anchor) mode() MatchMode {
	if a.Mode == "" {
		return Exact
	}
	return a.Mode
}
