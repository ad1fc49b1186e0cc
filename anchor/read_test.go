package anchor

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"

	"github.com/google/go-cmp/cmp"
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// wrap makes a patch document out of its op_groups.
func wrap(groups string) string {
	return `{"protocol_id":"anchor_diff_v2.1","target":{"path":"f","base_checksum_sha256":"` + zeros + `"},"op_groups":[` + groups + `]}`
}

func refusedWith(t *testing.T, raw string, code brenner.Code, pointer string, words ...string) {
	t.Helper()
	p, err := Parse([]byte(raw))
	if brenner.CodeOf(err) != code {
		t.Errorf("%.120s: got %v (%v), want %s", raw, err, p, code)
		return
	}
	e := err.(*brenner.Error)
	if e.Pointer != pointer {
		t.Errorf("%.120s: pointer %q, want %q", raw, e.Pointer, pointer)
	}
	for _, w := range words {
		if !strings.Contains(e.Message+e.Hint, w) {
			t.Errorf("%.120s: %q does not say %q", raw, e.Message+"; "+e.Hint, w)
		}
	}
}

// P1: only anchor_diff_v2.1; its relatives are named.
func TestParse_OtherDialectsAreNamed(t *testing.T) {
	for _, id := range []string{"diff_json_v1", "anchor_diff_v3.0", "json_diff", "anchor_diff_v2", "ANCHOR_DIFF_V2.1", ""} {
		refusedWith(t, `{"protocol_id":"`+id+`","hunks":[]}`, brenner.CodeInvalidPatch, "/protocol_id", fmt.Sprintf("%q", id))
	}
	refusedWith(t, `{"target":{}}`, brenner.CodeInvalidPatch, "/protocol_id", "missing", ProtocolID)
	refusedWith(t, `{"protocol_id":7}`, brenner.CodeInvalidPatch, "/protocol_id", "not a string")
	refusedWith(t, `[{"op":"replace","path":"/a","value":1}]`, brenner.CodeInvalidPatch, "", "RFC 6902")
	refusedWith(t, "diff --git a/f b/f\n", brenner.CodeInvalidPatch, "", "git diff")
	refusedWith(t, "--- a/f\n+++ b/f\n", brenner.CodeInvalidPatch, "", "unified diff", "anchors and blocks")
	refusedWith(t, "*** Begin Patch\n", brenner.CodeInvalidPatch, "", "apply_patch")
	refusedWith(t, "<<<<<<< SEARCH\n", brenner.CodeInvalidPatch, "", "search/replace")
	refusedWith(t, "```json\n{}\n```", brenner.CodeInvalidPatch, "", "fence")
}

// P9: reading is strict and says where.
func TestParse_IsStrict(t *testing.T) {
	const anchored = `"anchor":{"text":"a"},`
	op := func(s string) string { return wrap(`{` + anchored + `"targets":[` + s + `]}`) }
	for _, c := range []struct{ raw, pointer, word string }{
		{`{`, "", "ends too early"},
		{`"x"`, "", "JSON object"},
		{`{"protocol_id":"anchor_diff_v2.1","protocol_id":"anchor_diff_v2.1"}`, "/protocol_id", "twice"},
		{`{"protocol_id":"anchor_diff_v2.1"}`, "/target", "missing"},
		{`{"protocol_id":"anchor_diff_v2.1","target":{},"op_groups":[]}`, "/target/base_checksum_sha256", "missing"},
		{`{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"abc"},"op_groups":[]}`, "/target/base_checksum_sha256", "64"},
		{`{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + zeros + `"}}`, "/op_groups", "missing"},
		{`{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + zeros + `"},"op_groups":{}}`, "/op_groups", "object"},
		{`{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + zeros + `"},"op_groups":[],"note":1}`, "/note", "unknown"},
		{`{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + zeros + `"},"op_groups":[],"result_sha256":"zz"}`, "/result_sha256", "64"},
		{`{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + zeros + `"},"op_groups":[],"meta":"x"}`, "/meta", "object"},
		{wrap(`{"targets":[{"op":"delete_block","old_block":"x"}]}`), "/op_groups/0/anchor", "missing"},
		{wrap(`{"anchor":{},"targets":[{"op":"delete_block","old_block":"x"}]}`), "/op_groups/0/anchor/text", "text is missing"},
		{wrap(`{"anchor":{"text":null},"targets":[]}`), "/op_groups/0/anchor/text", "null"},
		{wrap(`{"anchor":{"text":"a","mode":"exact"},"targets":[]}`), "/op_groups/0/anchor/mode", "unknown"},
		{wrap(`{"anchor":{"text":"a","match_mode":"fuzzy"},"targets":[{"op":"delete_block","old_block":"x"}]}`), "/op_groups/0/anchor/match_mode", "fuzzy"},
		{wrap(`{"anchor":{"text":"a"}}`), "/op_groups/0/targets", "missing"},
		{wrap(`{"anchor":{"text":"a"},"targets":[]}`), "/op_groups/0/targets", "without operations"},
		{op(`{"old_block":"x"}`), "/op_groups/0/targets/0/op", "missing"},
		{op(`{"op":"insert_after","old_block":"x"}`), "/op_groups/0/targets/0/op", "insert_after"},
		{op(`{"op":"replace_block","new_block":"y"}`), "/op_groups/0/targets/0/old_block", "missing"},
		{op(`{"op":"replace_block","old_block":"x"}`), "/op_groups/0/targets/0/new_block", "missing"},
		{op(`{"op":"replace_block","old_block":"x","new_block":1}`), "/op_groups/0/targets/0/new_block", "number"},
		{op(`{"op":"replace_block","old_block":"x","new_block":"y","new_content":"z"}`), "/op_groups/0/targets/0/new_content", "takes no"},
		{op(`{"op":"delete_block","old_block":""}`), "/op_groups/0/targets/0/old_block", "deletes nothing"},
		{op(`{"op":"delete_block","old_block":"x","new_block":"y"}`), "/op_groups/0/targets/0/new_block", "replace_block"},
		{op(`{"op":"delete_block","old_block":"x","match_index":0}`), "/op_groups/0/targets/0/match_index", "from 1"},
		{op(`{"op":"delete_block","old_block":"x","match_index":"1"}`), "/op_groups/0/targets/0/match_index", "string"},
		{op(`{"op":"delete_block","old_block":"x","match_index":1.5}`), "/op_groups/0/targets/0/match_index", "number"},
		{op(`{"op":"delete_block","Old_Block":"x"}`), "/op_groups/0/targets/0/Old_Block", "unknown"},
	} {
		refusedWith(t, c.raw, brenner.CodeInvalidPatch, c.pointer, c.word)
	}
	refusedWith(t, op(`{"op":"delete_block","old_block":"x\u0000"}`), brenner.CodeInvalidText, "/op_groups/0/targets/0/old_block")
}

// P5: an anchor of white space only cannot be found when white space is ignored.
func TestParse_BlankAnchorNeedsExactMode(t *testing.T) {
	refusedWith(t, wrap(`{"anchor":{"text":" \n\u00a0","match_mode":"ignore_whitespace"},"targets":[{"op":"delete_block","old_block":"x"}]}`),
		brenner.CodeInvalidPatch, "/op_groups/0/anchor/text", "white space")
	if _, err := Parse([]byte(wrap(`{"anchor":{"text":"\n"},"targets":[{"op":"delete_block","old_block":"x"}]}`))); err != nil {
		t.Error(err)
	}
}

// P8: replace_entire_file stands alone and needs new_content.
func TestParse_EntireFileStandsAlone(t *testing.T) {
	const entire = `{"targets":[{"op":"replace_entire_file","new_content":""}]}`
	p, err := Parse([]byte(wrap(entire)))
	if content, ok := p.entire(); err != nil || !ok || content != "" {
		t.Fatalf("%v, %v", p, err)
	}
	refusedWith(t, wrap(entire+","+entire), brenner.CodeInvalidPatch, "/op_groups/0/targets/0", "only operation")
	refusedWith(t, wrap(`{"targets":[{"op":"replace_entire_file"}]}`), brenner.CodeInvalidPatch, "/op_groups/0/targets/0/new_content", "missing")
	refusedWith(t, wrap(`{"targets":[{"op":"replace_entire_file","new_content":"","new_block":"x"}]}`), brenner.CodeInvalidPatch, "/op_groups/0/targets/0/new_block")
}

// P2: strings of a patch are canonicalised, checksums lower-cased, an empty
// result is no result.
func TestParse_CanonicalisesStrings(t *testing.T) {
	raw := `{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + strings.Repeat("AB", 32) + `"},
		"op_groups":[{"anchor":{"text":"\ufeffa\r\nb\rc"},"targets":[{"op":"replace_block","old_block":"\r","new_block":"\r\n\r\n"}]}],
		"result_sha256":"","meta":{"notes":null}}`
	p, err := Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	want := []Group{{Anchor{"a\nb\nc", Exact}, []Op{{Kind: ReplaceBlock, Old: "\n", New: "\n\n"}}}}
	if d := cmp.Diff(want, p.Groups); d != "" {
		t.Error(d)
	}
	if p.Base != brenner.Digest(strings.Repeat("ab", 32)) || p.Result != "" || string(p.Meta) != `{"notes":null}` {
		t.Errorf("%+v", p)
	}
}

// The seed's own example is read, and written as it was.
func TestParse_ReadsTheSeedsExample(t *testing.T) {
	raw := `{"protocol_id":"anchor_diff_v2.1","target":{"path":"sökväg/till/fil.js","base_checksum_sha256":"` + zeros + `"},"op_groups":[{"anchor":{"text":"En unik textsträng i filen","match_mode":"exact"},"targets":[{"op":"replace_block","match_index":1,"old_block":"Textblocket som ska ersättas.","new_block":"Det nya textblocket."}]}],"result_sha256":"` + zeros + `","meta":{"notes":"Valfri beskrivning av patchen."}}`
	p, err := Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(p.JSON())
	if d := cmp.Diff(p, again); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	var flat strings.Builder
	for _, line := range strings.Split(string(p.JSON()), "\n") {
		flat.WriteString(strings.TrimSpace(line))
	}
	if got := strings.ReplaceAll(flat.String(), `": `, `":`); got != raw {
		t.Errorf("written as\n%s\nwant\n%s", got, raw)
	}
}

// A patch inside other JSON is read as strictly as one that stands alone.
func TestPatch_IsReadInsideOtherJSON(t *testing.T) {
	p := Patch{Path: "notes", Base: zeros, Groups: []Group{{Anchor{"a", Exact}, []Op{{Kind: ReplaceBlock, Old: "b", New: "c"}}}}}
	var in, out struct {
		Patch *Patch `json:"patch,omitzero"`
	}
	in.Patch = &p
	raw := canon.MustMarshal(in)
	if err := canon.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(in, out); d != "" {
		t.Error(d)
	}
	err := canon.Unmarshal([]byte(strings.Replace(string(raw), `"text"`, `"txt"`, 1)), &out)
	if brenner.CodeOf(err) != brenner.CodeInvalidPatch {
		t.Error(err)
	}
}

// 10,000 operations, a patch or a text beyond the limit: LIMIT_EXCEEDED.
func TestLimits_AreRefusedByCode(t *testing.T) {
	op := `{"op":"delete_block","old_block":"x"}`
	refusedWith(t, wrap(`{"anchor":{"text":"a"},"targets":[`+strings.Repeat(op+",", 9_999)+op+`]}`), brenner.CodeLimitExceeded, "/op_groups", "10000")
	refusedWith(t, strings.Repeat(" ", brenner.MaxPatchBytes+1), brenner.CodeLimitExceeded, "")
	if _, err := Canonical(make([]byte, 50<<20)); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("50 MB: %v", err)
	}
	half := mustCanonical(t, []byte(strings.Repeat("x", brenner.MaxPatchTextBytes-1)))
	p := Patch{Base: half.Sum(), Groups: []Group{{Ops: []Op{{Kind: ReplaceBlock, New: "two more"}}}}}
	if _, err := Apply(p, half); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("result too long: %v", err)
	}
	e := Edit{Path: "f", Format: FormatEdit, inTurn: true, hunks: []hunk{{name: "edit 1", old: "x", new: strings.Repeat("y", brenner.MaxPatchTextBytes/100+1), all: true}}}
	if _, err := e.Patch(Text{s: strings.Repeat("x\n", 100)}); brenner.CodeOf(err) != brenner.CodeLimitExceeded || !strings.Contains(err.Error(), "the result is larger than is allowed") {
		t.Errorf("result of an edit too long: %v", err)
	}
}

// Anchors that occur everywhere cannot be counted for ever.
func TestLimits_RepetitiveAnchorsAreRefused(t *testing.T) {
	base := text(strings.Repeat("a", 8<<20))
	var groups []Group
	for i := range 12 {
		groups = append(groups, indexed(1<<40, replace(strings.Repeat("a", 10+i), "", "x")))
	}
	if _, err := Apply(patchFor(base, groups...), base); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(wrap(`{"anchor":{"text":"a"},"targets":[{"op":"replace_block","old_block":"\ufeff","new_block":"\r"}]}`)))
	f.Add([]byte(wrap(`{"targets":[{"op":"replace_entire_file","new_content":"\ufeff\ufeffx"}]}`)))
	f.Add([]byte(`{"protocol_id":"diff_json_v1"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := Parse(raw)
		if err != nil {
			if _, ok := err.(*brenner.Error); !ok {
				t.Fatalf("uncoded error %v", err)
			}
			return
		}
		again, err := Parse(p.JSON())
		if d := cmp.Diff(p, again, cmp.Comparer(func(a, b Patch) bool { return string(a.JSON()) == string(b.JSON()) })); err != nil || d != "" {
			t.Fatalf("%v: %s", err, d)
		}
	})
}
