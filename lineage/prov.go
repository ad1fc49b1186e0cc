package lineage

import (
	"strconv"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
)

// statement is the attributes of one PROV element or relation.
type statement map[string]any

// PROV gives the graph as a PROV-JSON document (W3C member submission of 24
// April 2013), in canonical JSON. Versions are entities, tasks activities,
// creators agents. A task used what the versions that came out of it were made
// from. Reviews and contradictions are influences.
func (g Graph) PROV() []byte {
	d := provDocument{elements: map[string]map[string]statement{}, said: map[string]bool{}}
	tasks := make(map[brenner.Ref]string, len(g.Nodes))
	for _, n := range g.Nodes {
		tasks[n.Ref] = n.Task
		d.node(n)
	}
	for _, e := range g.Edges {
		d.edge(e, tasks[e.From])
	}
	document := map[string]any{"prefix": map[string]string{"brenner": "urn:brenner:"}}
	for kind, statements := range d.elements { // order-free: copied into another map
		document[kind] = statements
	}
	return canon.MustMarshal(document)
}

// provDocument gathers statements by kind. A relation is said once however
// often it follows from the graph.
type provDocument struct {
	elements map[string]map[string]statement
	said     map[string]bool
	numbered int
}

func (d *provDocument) node(n Node) {
	entity := provVersion(n.Ref)
	d.put("entity", entity, describe(n))
	var task, agent string
	if n.Task != "" {
		task = provName("task", n.Task)
		d.put("activity", task, statement{"prov:label": n.Task})
		generated := statement{"prov:entity": entity, "prov:activity": task}
		if !n.At.IsZero() {
			generated["prov:time"] = n.At.UTC().Format(time.RFC3339Nano)
		}
		d.say("wasGeneratedBy", generated)
	}
	if n.Creator != "" {
		agent = provName("actor", string(n.Creator))
		d.put("agent", agent, statement{"prov:label": string(n.Creator)})
		d.say("wasAttributedTo", statement{"prov:entity": entity, "prov:agent": agent})
	}
	if task != "" && agent != "" {
		with := statement{"prov:activity": task, "prov:agent": agent}
		if n.Role != "" {
			with["prov:role"] = string(n.Role)
		}
		d.say("wasAssociatedWith", with)
	}
}

// describe gives the attributes of a version that are known.
func describe(n Node) statement {
	s := statement{"prov:label": n.Ref.String()}
	for _, a := range []struct{ name, value string }{
		{"brenner:type", string(n.Type)},
		{"brenner:module", string(n.Module)},
		{"brenner:status", string(n.Status)},
		{"brenner:summary", n.Summary},
	} {
		if a.value != "" {
			s[a.name] = a.value
		}
	}
	if n.Demoted {
		s["brenner:demoted"] = true
	}
	if n.Stale {
		s["brenner:needs_update"] = true
	}
	return s
}

// edge says what a link means; task is what its source came out of, if
// anything.
func (d *provDocument) edge(e Edge, task string) {
	from, to := provVersion(e.From), provVersion(e.To)
	switch e.Rel {
	case artifact.Reviews, artifact.Contradicts:
		d.say("wasInfluencedBy", statement{"prov:influencee": from, "prov:influencer": to, "brenner:relation": string(e.Rel)})
		return
	}
	derived := statement{"prov:generatedEntity": from, "prov:usedEntity": to, "brenner:relation": string(e.Rel)}
	if e.Rel == artifact.Supersedes || e.Rel == Revises {
		derived["prov:type"] = map[string]string{"$": "prov:Revision", "type": "prov:QUALIFIED_NAME"}
	}
	d.say("wasDerivedFrom", derived)
	if task != "" {
		d.say("used", statement{"prov:activity": provName("task", task), "prov:entity": to})
	}
}

func (d *provDocument) put(kind, id string, s statement) {
	if d.elements[kind] == nil {
		d.elements[kind] = map[string]statement{}
	}
	d.elements[kind][id] = s
}

// say adds a relation under an identifier of its own.
func (d *provDocument) say(kind string, s statement) {
	key := kind + string(canon.MustMarshal(s))
	if d.said[key] {
		return
	}
	d.said[key] = true
	d.numbered++
	d.put(kind, "_:r"+strconv.Itoa(d.numbered), s)
}

func provVersion(r brenner.Ref) string { return "brenner:version/" + r.String() }

// provName makes a qualified name out of one of ours. The characters of our
// names may all stand in one, except a full stop at the end.
func provName(kind, name string) string {
	full := "brenner:" + kind + "/" + name
	if full[len(full)-1] == '.' {
		return full[:len(full)-1] + "%2E"
	}
	return full
}
