package mcpserver

import (
	"reflect"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
	"brenner/lineage"
	"brenner/playbook"
	"brenner/stalemate"
)

// outlined is a result that has more members than its schema names. The schema
// is paid for in every conversation: it names what a program goes on with.
type outlined interface{ Outline() any }

// outline is the type that describes a result.
func outline[Out any]() reflect.Type {
	var out Out
	if o, ok := any(out).(outlined); ok {
		return reflect.TypeOf(o.Outline())
	}
	return reflect.TypeFor[Out]()
}

// Outline implements outlined.
func (r statusResult) Outline() any {
	return struct {
		Tasks    []taskLine        `json:"tasks"`
		Messages []api.MessageInfo `json:"messages"`
	}{}
}

// Outline implements outlined.
func (r inboxResult) Outline() any {
	return struct {
		Items      []api.MessageInfo `json:"items"`
		Next       string            `json:"next,omitzero"`
		NextOffset int               `json:"next_offset,omitzero"`
	}{}
}

// Outline implements outlined.
func (p contextPage) Outline() any {
	return struct {
		Invocation string `json:"invocation"`
		Key        string `json:"key,omitzero"`
		NextOffset int    `json:"next_offset,omitzero"`
		Left       int    `json:"left"`
	}{}
}

// Outline implements outlined.
func (p artifactPage) Outline() any {
	return struct {
		ID         brenner.ArtifactID `json:"id"`
		Version    brenner.Version    `json:"version"`
		Type       brenner.TypeName   `json:"type"`
		Status     artifact.Status    `json:"status"`
		SHA256     brenner.Digest     `json:"content_sha256"`
		NextOffset int                `json:"next_offset,omitzero"`
	}{}
}

// Outline implements outlined.
func (r searchHits) Outline() any {
	return struct {
		Items []api.SearchHit `json:"items"`
	}{}
}

// Outline implements outlined.
func (w written) Outline() any {
	return struct {
		Ref    brenner.Ref     `json:"ref"`
		Status artifact.Status `json:"status"`
		Fork   []brenner.Ref   `json:"fork,omitzero"`
	}{}
}

// Outline implements outlined.
func (r patched) Outline() any {
	return struct {
		Outcome anchor.Outcome   `json:"outcome"`
		From    brenner.Ref      `json:"from"`
		Version *api.WriteResult `json:"version,omitzero"`
	}{}
}

// Outline implements outlined.
func (p sessionPage) Outline() any {
	return struct {
		Ref        brenner.Ref    `json:"ref"`
		Proposals  []api.Proposal `json:"proposals"`
		NextOffset int            `json:"next_offset,omitzero"`
		Spent      bool           `json:"context_spent,omitzero"`
	}{}
}

// Outline implements outlined.
func (r submission) Outline() any {
	return struct {
		Deltas   []api.SubmittedDelta `json:"deltas"`
		Misses   []delta.Miss         `json:"misses"`
		Waiting  []brenner.ActorName  `json:"waiting,omitzero"`
		Compiled brenner.Ref          `json:"compiled,omitzero"`
	}{}
}

// Outline implements outlined.
func (t taskResult) Outline() any {
	return struct {
		ID      string        `json:"id"`
		State   api.TaskState `json:"state"`
		Outputs []brenner.Ref `json:"outputs"`
	}{}
}

// Outline implements outlined.
func (r learned) Outline() any {
	return struct {
		Outcomes []api.LearnOutcome `json:"outcomes"`
	}{}
}

// Outline implements outlined.
func (r judged) Outline() any {
	return struct {
		Bullets []playbook.Bullet `json:"bullets"`
	}{}
}

// Outline implements outlined.
func (r dispute) Outline() any {
	return struct {
		ID      brenner.ArtifactID `json:"id"`
		State   stalemate.State    `json:"state"`
		Missing []string           `json:"missing_evidence,omitzero"`
	}{}
}

// Outline implements outlined.
func (r lineageResult) Outline() any {
	return struct {
		Nodes     []lineage.Node `json:"nodes"`
		Edges     []lineage.Edge `json:"edges"`
		Truncated bool           `json:"truncated,omitzero"`
	}{}
}
