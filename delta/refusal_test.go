package delta_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/delta"
)

func TestParse_IsStrict(t *testing.T) {
	// D1: unknown fields, duplicate keys and wrong types reject the delta and
	// name the place.
	good := say("d1", 0, "Ann", "ADD", "-", "X", `{"name":"n","observation":"o"}`)
	edit := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for name, c := range map[string]struct {
		raw     string
		code    brenner.Code
		pointer string
	}{
		"unknown field":      {edit(`{"delta_id"`, `{"note":1,"delta_id"`), brenner.CodeInvalidDelta, "/note"},
		"duplicate key":      {edit(`"agent":"Ann"`, `"agent":"Ann","agent":"Bob"`), brenner.CodeInvalidDelta, "/agent"},
		"duplicate inside":   {edit(`"name":"n"`, `"name":"n","name":"m"`), brenner.CodeInvalidDelta, "/payload/name"},
		"key in capitals":    {edit(`"agent"`, `"Agent"`), brenner.CodeInvalidDelta, "/Agent"},
		"id is a number":     {edit(`"d1"`, `7`), brenner.CodeInvalidDelta, "/delta_id"},
		"no id":              {edit(`"delta_id":"d1",`, ``), brenner.CodeInvalidDelta, "/delta_id"},
		"id with a newline":  {edit(`"d1"`, `"d\n1"`), brenner.CodeInvalidDelta, "/delta_id"},
		"no agent":           {edit(`"agent":"Ann",`, ``), brenner.CodeInvalidDelta, "/agent"},
		"agent with a space": {edit(`"Ann"`, `"Ann B"`), brenner.CodeInvalidDelta, "/agent"},
		"no timestamp":       {edit(`"timestamp":"2026-01-01T12:00:00Z",`, ``), brenner.CodeInvalidDelta, "/timestamp"},
		"date only":          {edit(`2026-01-01T12:00:00Z`, `2026-01-01`), brenner.CodeInvalidDelta, "/timestamp"},
		"no zone":            {edit(`12:00:00Z`, `12:00:00`), brenner.CodeInvalidDelta, "/timestamp"},
		"hour of one digit":  {edit(`T12:`, `T1:`), brenner.CodeInvalidDelta, "/timestamp"},
		"comma":              {edit(`:00Z`, `:00,5Z`), brenner.CodeInvalidDelta, "/timestamp"},
		"empty fraction":     {edit(`:00Z`, `:00.Z`), brenner.CodeInvalidDelta, "/timestamp"},
		"month 13":           {edit(`2026-01`, `2026-13`), brenner.CodeInvalidDelta, "/timestamp"},
		"before year 0":      {edit(`2026-01-01T12:00:00Z`, `0000-01-01T00:00:00+01:00`), brenner.CodeInvalidDelta, "/timestamp"},
		"after year 9999":    {edit(`2026-01-01T12:00:00Z`, `9999-12-31T23:59:59-01:00`), brenner.CodeInvalidDelta, "/timestamp"},
		"unknown operation":  {edit(`"ADD"`, `"add"`), brenner.CodeInvalidDelta, "/operation"},
		"unknown section":    {edit(`"anomaly_register"`, `"anomalies"`), brenner.CodeInvalidDelta, "/section"},
		"empty target":       {edit(`"target_id":null`, `"target_id":""`), brenner.CodeInvalidDelta, "/target_id"},
		"target a number":    {edit(`"target_id":null`, `"target_id":3`), brenner.CodeInvalidDelta, "/target_id"},
		"negative seq":       {edit(`"delta_id"`, `"seq":-1,"delta_id"`), brenner.CodeInvalidDelta, "/seq"},
		"broken seq":         {edit(`"delta_id"`, `"seq":1.5,"delta_id"`), brenner.CodeInvalidDelta, "/seq"},
		"payload an array":   {edit(`{"name":"n","observation":"o"}`, `[]`), brenner.CodeInvalidDelta, "/payload"},
		"not an object":      {`[1]`, brenner.CodeInvalidDelta, ""},
		"null":               {`null`, brenner.CodeInvalidDelta, ""},
		"nothing":            {``, brenner.CodeInvalidDelta, ""},
		"cut off":            {good[:40], brenner.CodeInvalidDelta, "/timestamp"},
		"invalid utf-8":      {edit(`"n"`, "\"\xff\""), brenner.CodeInvalidDelta, "/payload/name"},
		"nul":                {edit(`"n"`, `"\u0000"`), brenner.CodeInvalidText, "/payload/name"},
		"too deep":           {edit(`"n"`, strings.Repeat("[", 80)+strings.Repeat("]", 80)), brenner.CodeLimitExceeded, "/payload/name" + strings.Repeat("/0", 62)},
		"a slow number":      {edit(`"n"`, `"n","x":{"y":[1,"1e-310",1e-310]}`), brenner.CodeInvalidValue, "/payload/x/y/2"},
		"too large":          {edit(`"n"`, `"`+strings.Repeat("x", brenner.MaxDeltaBytes)+`"`), brenner.CodeLimitExceeded, ""},
		"long rationale":     {edit(`"rationale":"r"`, `"rationale":"`+strings.Repeat("x", brenner.MaxNoteRunes+1)+`"`), brenner.CodeLimitExceeded, "/rationale"},
	} {
		t.Run(name, func(t *testing.T) {
			all := entries(t, good[:1]+`"seq":1,`+strings.Replace(good[1:], `"d1"`, `"ok"`, 1), c.raw)
			r := delta.Merge(nil, all, delta.Options{})
			// D7: the others apply.
			wantOutcome(t, r, 0, delta.Applied, "")
			wantOutcome(t, r, 1, delta.Rejected, c.code)
			if o := r.Outcomes[1]; o.Pointer != c.pointer {
				t.Errorf("pointer %q, want %q (%s)", o.Pointer, c.pointer, o.Message)
			}
		})
	}
}

func TestParse_AcceptsEveryFormOfAnInstant(t *testing.T) {
	// D3: offsets and fractions are normalised.
	same := []string{
		"2026-01-01T12:00:00Z", "2026-01-01t12:00:00z", "2026-01-01T12:00:00.000000000000Z", "2026-01-01T13:30:00+01:30", "2025-12-31T24:00:00Z",
	}
	for _, ts := range same[:4] {
		raw := strings.Replace(say("d", 0, "Ann", "EDIT", "-", "RT", `{"statement":"s"}`), same[0], ts, 1)
		r := mergeAll(t, nil, raw)
		wantOutcome(t, r, 0, delta.Applied, "")
		if got := r.Artifact.Metadata().UpdatedAt; got != same[0] {
			t.Errorf("%s became %s", ts, got)
		}
	}
	for _, ts := range []string{"0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"} {
		raw := strings.Replace(say("d", 0, "Ann", "EDIT", "-", "RT", `{"statement":"s"}`), same[0], ts, 1)
		if r := mergeAll(t, nil, raw); r.Artifact.Metadata().UpdatedAt != ts {
			t.Errorf("%s became %s", ts, r.Artifact.Metadata().UpdatedAt)
		}
	}
}

func TestMerge_EachRefusalHasItsCode(t *testing.T) {
	// D7: one code for each reason, at its pointer, with a hint; D12, D15.
	base := mergeAll(t, nil, append(hypotheses(6),
		say("p", 7, "Ann", "ADD", "-", "P", `{"condition":"k","predictions":{"H1":"up"}}`),
		say("t", 7, "Ann", "ADD", "-", "T", `{"name":"n","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"e"}}`),
		say("x", 7, "Ann", "ADD", "-", "X", `{"name":"n","observation":"o"}`),
	)...).Artifact
	for name, c := range map[string]struct {
		raw     string
		code    brenner.Code
		pointer string
	}{
		"no such item":         {say("d", 9, "Ann", "EDIT", "X9", "X", `{"name":"m"}`), brenner.CodeInvalidTarget, "/target_id"},
		"target missing":       {say("d", 9, "Ann", "EDIT", "-", "X", `{"name":"m"}`), brenner.CodeInvalidTarget, "/target_id"},
		"target elsewhere":     {say("d", 9, "Ann", "EDIT", "H1", "X", `{"name":"m"}`), brenner.CodeInvalidTarget, "/target_id"},
		"target not an id":     {say("d", 9, "Ann", "KILL", "X1 please", "X", `{}`), brenner.CodeInvalidTarget, "/target_id"},
		"leading zero":         {say("d", 9, "Ann", "KILL", "X01", "X", `{}`), brenner.CodeInvalidTarget, "/target_id"},
		"huge number":          {say("d", 9, "Ann", "KILL", "X99999999999999999999", "X", `{}`), brenner.CodeInvalidTarget, "/target_id"},
		"cell of no row":       {say("d", 9, "Ann", "EDIT", "P9.H1", "P", `{"outcome":"up"}`), brenner.CodeInvalidTarget, "/target_id"},
		"cell of no column":    {say("d", 9, "Ann", "EDIT", "P1.X1", "P", `{"outcome":"up"}`), brenner.CodeInvalidTarget, "/target_id"},
		"ADD with a target":    {say("d", 9, "Ann", "ADD", "X2", "X", `{"name":"n","observation":"o"}`), brenner.CodeInvalidTarget, "/target_id"},
		"slate full":           {say("d", 9, "Ann", "ADD", "-", "H", `{"claim":"c","mechanism":"m"}`), brenner.CodeSectionLimitExceeded, "/section"},
		"required missing":     {say("d", 9, "Ann", "ADD", "-", "X", `{"name":"n"}`), brenner.CodeMissingRequiredField, "/payload/observation"},
		"required blank":       {say("d", 9, "Ann", "ADD", "-", "X", `{"name":"n","observation":" \t"}`), brenner.CodeMissingRequiredField, "/payload/observation"},
		"required emptied":     {say("d", 9, "Ann", "EDIT", "X1", "X", `{"observation":""}`), brenner.CodeMissingRequiredField, "/payload/observation"},
		"empty map":            {say("d", 9, "Ann", "ADD", "-", "P", `{"condition":"k","predictions":{}}`), brenner.CodeMissingRequiredField, "/payload/predictions"},
		"cell without outcome": {say("d", 9, "Ann", "EDIT", "P1.H1", "P", `{"text":"up"}`), brenner.CodeMissingRequiredField, "/payload/outcome"},
		"ADD of a thread":      {say("d", 9, "Ann", "ADD", "-", "RT", `{"statement":"s"}`), brenner.CodeRTEditOnly, "/operation"},
		"KILL of the thread":   {say("d", 9, "Ann", "KILL", "RT", "RT", `{}`), brenner.CodeRTEditOnly, "/operation"},
		"another thread":       {say("d", 9, "Ann", "EDIT", "RT2", "RT", `{"statement":"s"}`), brenner.CodeInvalidTarget, "/target_id"},
		"unknown status":       {say("d", 9, "Ann", "EDIT", "X1", "X", `{"status":"gone"}`), brenner.CodeInvalidValue, "/payload/status"},
		"score above 3":        {say("d", 9, "Ann", "EDIT", "T1", "T", `{"score":{"cost":3.1}}`), brenner.CodeInvalidValue, "/payload/score/cost"},
		"score below 0":        {say("d", 9, "Ann", "EDIT", "T1", "T", `{"score":{"cost":-1}}`), brenner.CodeInvalidValue, "/payload/score/cost"},
		"score of nothing":     {say("d", 9, "Ann", "EDIT", "T1", "T", `{"score":{"beauty":1}}`), brenner.CodeInvalidValue, "/payload/score/beauty"},
		"score a string":       {say("d", 9, "Ann", "EDIT", "T1", "T", `{"score":{"cost":"1"}}`), brenner.CodeInvalidDelta, "/payload/score/cost"},
		"number out of range":  {say("d", 9, "Ann", "EDIT", "X1", "X", `{"extra":[1,1e999]}`), brenner.CodeInvalidValue, "/payload/extra/1"},
		"text a number":        {say("d", 9, "Ann", "EDIT", "X1", "X", `{"name":1}`), brenner.CodeInvalidDelta, "/payload/name"},
		"text null":            {say("d", 9, "Ann", "EDIT", "X1", "X", `{"name":null}`), brenner.CodeInvalidDelta, "/payload/name"},
		"flag a string":        {say("d", 9, "Ann", "EDIT", "H1", "H", `{"third_alternative":"yes"}`), brenner.CodeInvalidDelta, "/payload/third_alternative"},
		"list a string":        {say("d", 9, "Ann", "EDIT", "H1", "H", `{"anchors":"§1"}`), brenner.CodeInvalidDelta, "/payload/anchors"},
		"element a number":     {say("d", 9, "Ann", "EDIT", "H1", "H", `{"anchors":["§1",2]}`), brenner.CodeInvalidDelta, "/payload/anchors/1"},
		"element blank":        {say("d", 9, "Ann", "EDIT", "H1", "H", `{"anchors":[""]}`), brenner.CodeInvalidValue, "/payload/anchors/0"},
		"outcome a number":     {say("d", 9, "Ann", "EDIT", "P1", "P", `{"predictions":{"H1":1}}`), brenner.CodeInvalidDelta, "/payload/predictions/H1"},
		"outcome blank":        {say("d", 9, "Ann", "EDIT", "P1", "P", `{"predictions":{"H1":""}}`), brenner.CodeInvalidValue, "/payload/predictions/H1"},
		"blank key":            {say("d", 9, "Ann", "EDIT", "P1", "P", `{"predictions":{"":"x"}}`), brenner.CodeInvalidValue, "/payload/predictions/"},
		"map an array":         {say("d", 9, "Ann", "EDIT", "P1", "P", `{"predictions":[]}`), brenner.CodeInvalidDelta, "/payload/predictions"},
		"score an array":       {say("d", 9, "Ann", "EDIT", "T1", "T", `{"score":[]}`), brenner.CodeInvalidDelta, "/payload/score"},
		"replace a string":     {say("d", 9, "Ann", "EDIT", "H1", "H", `{"anchors":[],"replace":"yes"}`), brenner.CodeInvalidDelta, "/payload/replace"},
		"reason a number":      {say("d", 9, "Ann", "KILL", "X1", "X", `{"reason":1}`), brenner.CodeInvalidDelta, "/payload/reason"},
		"long reason":          {say("d", 9, "Ann", "KILL", "X1", "X", `{"reason":"`+strings.Repeat("x", 4001)+`"}`), brenner.CodeLimitExceeded, "/payload/reason"},
		"too many fields":      {say("d", 9, "Ann", "EDIT", "X1", "X", many(`"f%d":1`, brenner.MaxDeltaFields+1, "{", "}")), brenner.CodeLimitExceeded, "/payload"},
		"too many keys":        {say("d", 9, "Ann", "EDIT", "P1", "P", `{"predictions":`+many(`"k%d":"v"`, brenner.MaxDeltaElements+1, "{", "}")+`}`), brenner.CodeLimitExceeded, "/payload/predictions"},
		"too many elements":    {say("d", 9, "Ann", "EDIT", "H1", "H", `{"anchors":`+many(`"§%d"`, brenner.MaxDeltaElements+1, "[", "]")+`}`), brenner.CodeLimitExceeded, "/payload/anchors"},
		"EDIT of nothing":      {say("d", 9, "Ann", "EDIT", "X1", "X", `{}`), brenner.CodeInvalidDelta, "/payload"},
		"reference a string":   {say("d", 9, "Ann", "EDIT", "X1", "X", `{"references":["H1"]}`), brenner.CodeInvalidDelta, "/payload/references/0"},
		"unknown relation":     {say("d", 9, "Ann", "EDIT", "X1", "X", `{"references":[{"session":"s","item":"H1","relation":"likes"}]}`), brenner.CodeInvalidValue, "/payload/references/0/relation"},
		"bad session":          {say("d", 9, "Ann", "EDIT", "X1", "X", `{"references":[{"session":"a b","item":"H1","relation":"extends"}]}`), brenner.CodeInvalidValue, "/payload/references/0/session"},
		"bad item":             {say("d", 9, "Ann", "EDIT", "X1", "X", `{"references":[{"session":"s","item":"H","relation":"extends"}]}`), brenner.CodeInvalidValue, "/payload/references/0/item"},
		"provisional H4":       {`{"provisional_id":"H4",` + say("d", 9, "Ann", "ADD", "-", "X", `{"name":"n","observation":"o"}`)[1:], brenner.CodeInvalidValue, "/provisional_id"},
		"provisional on EDIT":  {`{"provisional_id":"X-N",` + say("d", 9, "Ann", "EDIT", "X1", "X", `{"name":"m"}`)[1:], brenner.CodeInvalidDelta, "/provisional_id"},
	} {
		t.Run(name, func(t *testing.T) {
			r := mergeAll(t, base, c.raw, say("ok", 8, "Ann", "EDIT", "X1", "X", `{"resolution_plan":"wait"}`))
			wantOutcome(t, r, 0, delta.Rejected, c.code)
			if o := r.Outcomes[0]; o.Pointer != c.pointer || o.Hint == "" || o.Message == "" {
				t.Errorf("%+v, want pointer %s and a hint", o, c.pointer)
			}
			wantOutcome(t, r, 1, delta.Applied, "")
		})
	}
}

// many writes an object or array of n numbered members.
func many(member string, n int, open, end string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(member, i)
	}
	return open + strings.Join(all, ",") + end
}

// A provisional id that is too long is refused for its length, not for its letters.
func TestMerge_SaysThatAProvisionalIDIsTooLong(t *testing.T) {
	r := mergeAll(t, nil, `{"provisional_id":"X-`+strings.Repeat("N", 200)+`",`+say("d", 9, "Ann", "ADD", "-", "X", `{"name":"n","observation":"o"}`)[1:])
	if o := r.Outcomes[0]; o.Code != brenner.CodeInvalidValue || o.Message != "provisional_id has 202 bytes, and may have 64" {
		t.Errorf("%+v", o)
	}
}
