package delta

import (
	"bytes"
	"errors"
	"slices"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Format is the name of the JSON form of an Artifact.
const Format = "brenner.session_artifact/1"

// The JSON of an artifact holds what it shows, for readers, and the deltas it
// rests on, for the next merge. What it shows follows from the deltas, and is
// checked against them when it is read.
type (
	artifactJSON struct {
		Format   string                  `json:"format"`
		Metadata Metadata                `json:"metadata"`
		Sections map[Section]sectionJSON `json:"sections"`
	}
	sectionJSON struct {
		// Highest is the highest number ever used.
		Highest int        `json:"highest"`
		Items   []itemJSON `json:"items"`
	}
	itemJSON struct {
		ID          ItemID                    `json:"id"`
		Fields      map[string]jsontext.Value `json:"fields"`
		Conflicts   map[string][]Candidate    `json:"conflicts,omitzero"`
		KilledBy    brenner.ActorName         `json:"killed_by,omitzero"`
		KilledAt    string                    `json:"killed_at,omitzero"`
		KillReason  string                    `json:"kill_reason,omitzero"`
		KilledCells map[string]deathJSON      `json:"killed_cells,omitzero"`
		// Deltas are the ADD and the edits in order, Kills the kills.
		Deltas []entryJSON `json:"deltas"`
		Kills  []entryJSON `json:"kills,omitzero"`
	}
	deathJSON struct {
		KilledBy   brenner.ActorName `json:"killed_by"`
		KilledAt   string            `json:"killed_at"`
		KillReason string            `json:"kill_reason,omitzero"`
	}
	entryJSON struct {
		Delta   Delta  `json:"delta"`
		Message string `json:"message,omitzero"`
		// At is the effective instant (D11).
		At string `json:"at"`
	}
)

// MarshalJSON writes the artifact; canon.Marshal gives its canonical form.
func (a *Artifact) MarshalJSON() ([]byte, error) {
	out := artifactJSON{Format: Format, Metadata: a.meta, Sections: make(map[Section]sectionJSON, sectionCount)}
	for s := range a.sections {
		section := &a.sections[s]
		rows := make([]itemJSON, 0, section.list.len())
		for _, it := range section.shown(s) {
			rows = append(rows, it.json())
		}
		out.Sections[schemas[s].Section] = sectionJSON{Highest: section.highest, Items: rows}
	}
	return json.Marshal(out, json.Deterministic(true))
}

func (it *Item) json() itemJSON {
	row := itemJSON{ID: it.ID(), Fields: map[string]jsontext.Value{}, Deltas: entriesJSON(it.log), Kills: entriesJSON(it.kills)}
	for i := range it.fields {
		row.show(it.kind(&it.fields[i]), &it.fields[i])
	}
	for _, c := range it.conflicts() {
		if row.Conflicts == nil {
			row.Conflicts = map[string][]Candidate{}
		}
		row.Conflicts[c.Name()] = c.Candidates
	}
	if d := it.Killed(); d != nil {
		row.KilledBy, row.KilledAt, row.KillReason = d.By, FormatInstant(d.At), d.Reason
	}
	return row
}

// show puts a field into the row; what is unsettled or killed stands elsewhere.
func (row *itemJSON) show(kind Kind, f *shown) {
	switch kind {
	case KindList, KindReferences:
		row.Fields[f.name()] = jsontext.Value(listText(f.list()))
	case KindOutcomes, KindScore:
		cells := map[string]jsontext.Value{}
		for i := range f.cells() {
			c := &f.cells()[i]
			switch {
			case c.dropped != nil:
				row.killCell(c)
			case c.rival == nil && !c.gone():
				cells[c.key] = jsontext.Value(c.value)
			}
		}
		row.Fields[f.name()] = canon.MustMarshal(cells)
	default:
		if f.rival() == nil {
			row.Fields[f.name()] = jsontext.Value(f.value)
		}
	}
}

func (row *itemJSON) killCell(c *cell) {
	if row.KilledCells == nil {
		row.KilledCells = map[string]deathJSON{}
	}
	d := c.dropped.death()
	row.KilledCells[c.key] = deathJSON{d.By, FormatInstant(d.At), d.Reason}
}

func entriesJSON(list []*entry) []entryJSON {
	if len(list) == 0 {
		return nil
	}
	out := make([]entryJSON, len(list))
	for i, e := range list {
		out[i] = entryJSON{e.sent(), e.message, FormatInstant(e.at())}
	}
	return out
}

// UnmarshalJSON reads an artifact as ReadArtifact does.
func (a *Artifact) UnmarshalJSON(raw []byte) error {
	read, err := ReadArtifact(raw)
	if err != nil {
		return err
	}
	*a = *read
	return nil
}

// ReadArtifact reads an artifact that MarshalJSON wrote. It reports
// INVALID_SESSION_ARTIFACT, with the JSON pointer, for anything else: also for
// one in which what shows does not follow from the deltas, so that whatever is
// read is written back byte for byte.
func ReadArtifact(raw []byte) (*Artifact, error) {
	canonical, err := canon.Transform(raw)
	if err != nil {
		return nil, notArtifact(err, "")
	}
	var in artifactJSON
	if err := canon.Unmarshal(canonical, &in); err != nil {
		return nil, notArtifact(err, "")
	}
	if in.Format != Format {
		return nil, badArtifact("/format", "not a session artifact of this format")
	}
	r := reader{compiler: compiler{recorded: true, settled: true}, in: &in, a: &Artifact{meta: in.Metadata.clone()}, messages: map[string]bool{}}
	if err := r.read(); err != nil {
		return nil, err
	}
	written, err := canon.Marshal(r.a)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(written, canonical) {
		return nil, badArtifact(r.firstDifference(), "what shows does not follow from the deltas")
	}
	return r.a, nil
}

func badArtifact(pointer, message string) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidSessionArtifact, "%s", message).At(pointer).
		WithHint("use the JSON that a merge wrote, unedited; change it by deltas")
}

// notArtifact gives a refusal from below its pointer and the artifact's code;
// limits and bad text keep their own.
func notArtifact(err error, pointer string) *brenner.Error {
	var e *brenner.Error
	if !errors.As(err, &e) {
		return badArtifact(pointer, "not the JSON of a session artifact")
	}
	out := badArtifact(pointer+e.Pointer, e.Message)
	if e.Code == brenner.CodeLimitExceeded || e.Code == brenner.CodeInvalidText {
		out.Code = e.Code
	}
	return out
}

// reader rebuilds an artifact from its deltas.
type reader struct {
	compiler
	in       *artifactJSON
	a        *Artifact
	recorded roll[identity]
	names    roll[name]
	messages map[string]bool
}

func (r *reader) read() error {
	if err := r.a.meta.check(); err != nil {
		return notArtifact(err, "")
	}
	if r.a.meta.Version < 0 {
		return badArtifact("/metadata/version", "the version is negative")
	}
	if len(r.in.Sections) != sectionCount {
		return badArtifact("/sections", "not the seven sections")
	}
	for s := range schemas {
		if err := r.section(s); err != nil {
			return err
		}
	}
	r.a.recorded = rolls[identity]{lower: r.recorded}
	r.a.names = rolls[name]{lower: r.names}
	r.a.messages = index[string, bool]{lower: r.messages}
	r.a.mentions = map[name][]ItemID{}
	view := viewer{names: r.a.lookup}
	for s := range r.a.sections {
		for _, it := range r.a.sections[s].list.all() {
			view.show(it)
			r.a.sections[s].count(it, +1)
			r.mention(it)
		}
	}
	return nil
}

func (r *reader) section(s int) error {
	pointer := "/sections/" + string(schemas[s].Section)
	in, ok := r.in.Sections[schemas[s].Section]
	if !ok {
		return badArtifact(pointer, "the section is missing")
	}
	out := &r.a.sections[s]
	out.highest = in.Highest
	var list []*Item
	for i := range in.Items {
		it, err := r.item(s, &in.Items[i], pointer+"/items/"+itoa(i))
		if err != nil {
			return err
		}
		list = append(list, it)
	}
	slices.SortFunc(list, func(a, b *Item) int { return a.number - b.number })
	var edit editor
	for i, it := range list {
		if i > 0 && list[i-1].number == it.number {
			return badArtifact(pointer, "the id "+string(it.ID())+" appears twice")
		}
		edit.add(it)
	}
	out.list = edit.sequence
	if n := len(list); out.highest < 0 || out.highest > maxNumber || n > 0 && out.highest < list[n-1].number {
		return badArtifact(pointer+"/highest", "highest is no number of an item, or lower than one in use")
	}
	return nil
}

func (r *reader) item(s int, in *itemJSON, pointer string) (*Item, error) {
	section, number, ok := parseItemID(string(in.ID))
	if !ok || section != s {
		return nil, badArtifact(pointer+"/id", "not an id of this section")
	}
	it := &Item{id: in.ID, section: section, number: number}
	var err error
	if it.log, err = r.entries(in.Deltas, it, pointer+"/deltas", false); err != nil {
		return nil, err
	}
	if it.kills, err = r.entries(in.Kills, it, pointer+"/kills", true); err != nil {
		return nil, err
	}
	if len(it.log) == 0 {
		return nil, badArtifact(pointer+"/deltas", "an item rests on at least one delta")
	}
	for i, e := range it.log {
		if (e.op == opAdd) != (i == 0 && s != atThread) {
			return nil, badArtifact(pointer+"/deltas/"+itoa(i), "the ADD of an item comes first, and once")
		}
	}
	return it, nil
}

// entries checks the deltas of an item as a merge would.
func (r *reader) entries(in []entryJSON, it *Item, pointer string, kills bool) ([]*entry, error) {
	if len(in) == 0 {
		return nil, nil
	}
	list := make([]*entry, len(in))
	for i := range in {
		at := pointer + "/" + itoa(i)
		e, err := r.entry(&in[i], it, at)
		if err != nil {
			return nil, err
		}
		if e.kills() != kills {
			return nil, badArtifact(at+"/delta/operation", "the operation does not belong here")
		}
		list[i] = e
	}
	slices.SortFunc(list, compareInItem)
	return list, nil
}

func (r *reader) entry(in *entryJSON, it *Item, pointer string) (*entry, error) {
	at, ok := parseInstant(in.At)
	if !ok {
		return nil, badArtifact(pointer+"/at", "not an instant")
	}
	if in.Message != "" && !plain(in.Message) {
		return nil, badArtifact(pointer+"/message", "not a message id")
	}
	_, timed := parseInstant(in.Delta.Timestamp)
	e, err := r.compile(&in.Delta, at, timed, in.Delta.Agent.Check() == nil)
	if err != nil {
		return nil, notArtifact(err, pointer+"/delta")
	}
	// The deltas name the item they are listed under, or a provisional id.
	if int(e.section) != it.section || e.number != 0 && int(e.number) != it.number {
		return nil, badArtifact(pointer+"/delta/target_id", "the delta is about another item")
	}
	e.message, e.rank, e.item = in.Message, rankOf(r.a.meta.Priority, in.Delta.Agent), int32(it.number)
	if !r.recorded.enter(e) {
		return nil, badArtifact(pointer+"/delta/delta_id", "the delta appears twice")
	}
	if e.message != "" {
		r.messages[e.message] = true
	}
	if e.provisional != "" && !r.names.enter(e) {
		return nil, badArtifact(pointer+"/delta/provisional_id", "the provisional id is bound twice")
	}
	return e, nil
}

// mention notes which provisional ids an item uses that nothing is bound to.
func (r *reader) mention(it *Item) {
	for _, e := range it.log {
		for n := range e.provisionalNames() {
			if _, bound := r.a.bound(n); !bound {
				r.a.mentions[n] = append(r.a.mentions[n], it.ID())
			}
		}
	}
}

// firstDifference points at the first item that is written otherwise than it
// was read.
func (r *reader) firstDifference() string {
	for s := range r.a.sections {
		in := r.in.Sections[schemas[s].Section].Items
		for i, it := range r.a.sections[s].shown(s) {
			if !bytes.Equal(canon.MustMarshal(it.json()), canon.MustMarshal(in[i])) {
				return "/sections/" + string(schemas[s].Section) + "/items/" + itoa(i)
			}
		}
	}
	return "/metadata"
}
