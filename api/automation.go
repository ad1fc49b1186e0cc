package api

import (
	"context"
	"time"

	"brenner"
	"brenner/automation"
)

// Automation is what happens by itself (A1–A4, A7). Persons only; to pause and
// to settle is the PI's.
type Automation interface {
	// AutomationRules lists the rules in force, and how each stands.
	AutomationRules(ctx context.Context) (AutomationRules, error)
	// Firings lists what rules did, the latest first.
	Firings(ctx context.Context, req FiringsRequest) (FiringList, error)
	// TestAutomation says what the rules would do now on the events of a record
	// of the journal; it does nothing. Codes: NOT_FOUND.
	TestAutomation(ctx context.Context, req TestAutomationRequest) (AutomationForecast, error)
	// PauseAutomation has one rule, or all, do nothing until it is resumed. What
	// happens in between is not made up for. Codes: NOT_FOUND, STATUS_CONFLICT.
	PauseAutomation(ctx context.Context, req PauseAutomationRequest) (AutomationRules, error)
	ResumeAutomation(ctx context.Context, req PauseAutomationRequest) (AutomationRules, error)
	// SettleNotices takes what rules told the person out of the inbox: the
	// firings named, or all.
	SettleNotices(ctx context.Context, req SettleNoticesRequest) (SettledNotices, error)
}

// AutomationRules are the rules in force.
type AutomationRules struct {
	// Paused says that nothing happens by itself.
	Paused bool             `json:"paused"`
	Rules  []AutomationRule `json:"rules"`
	// Behind counts the records that no rule has looked at yet.
	Behind int64 `json:"behind"`
}

// AutomationRule is a rule and how it stands.
type AutomationRule struct {
	automation.Rule
	// Builtin says that it is there without a configuration.
	Builtin bool           `json:"builtin"`
	Version brenner.Digest `json:"version"`
	Paused  bool           `json:"paused"`
	// Fired is how often it fired in all, Hour in the last hour; Held says that
	// it may not fire again before that hour is over.
	Fired int       `json:"fired"`
	Hour  int       `json:"hour"`
	Held  bool      `json:"held"`
	Last  time.Time `json:"last,omitzero"`
}

// FiringsRequest chooses firings; no rule chooses all.
type FiringsRequest struct {
	Page
	Rule string `json:"rule,omitzero"`
}

// FiringList is a page of firings.
type FiringList struct {
	Next
	Firings []Firing `json:"items"`
}

// Firing is one thing that happened by itself, and why.
type Firing struct {
	// Seq is the record that says so, At when it happened.
	Seq int64     `json:"seq,omitzero"`
	At  time.Time `json:"at,omitzero"`
	// Rule is the one that fired, Version what it said then, Event what it fired
	// on, Subject what it is about.
	Rule    string           `json:"rule"`
	Version brenner.Digest   `json:"version"`
	Event   automation.Event `json:"event"`
	Subject string           `json:"subject"`
	// Depth counts the causes that were themselves brought about by automation,
	// this one included.
	Depth int            `json:"depth"`
	Act   automation.Act `json:"act"`
	// Why says it in words.
	Why string `json:"why"`
	// Tasks were opened, Refs written.
	Tasks []string      `json:"tasks,omitzero"`
	Refs  []brenner.Ref `json:"refs,omitzero"`
	// Code and Message say why it could not be done.
	Code    brenner.Code `json:"code,omitzero"`
	Message string       `json:"message,omitzero"`
}

// TestAutomationRequest names a record of the journal; 0: the last one that
// means anything.
type TestAutomationRequest struct {
	Seq int64 `json:"seq,omitzero"`
}

// AutomationForecast is what rules would do on the events of a record.
type AutomationForecast struct {
	Seq    int64              `json:"seq"`
	Events []automation.Event `json:"events"`
	// Would is what they would do, Had what they did.
	Would []Firing `json:"would"`
	Had   []Firing `json:"had"`
	// Paused are rules that wait for such an event and are paused: they do nothing.
	Paused []string `json:"paused,omitzero"`
}

// PauseAutomationRequest names a rule; none: all of them.
type PauseAutomationRequest struct {
	Write
	Rule   string `json:"rule,omitzero"`
	Reason string `json:"reason,omitzero"`
}

// SettleNoticesRequest names firings by their record; none: all.
type SettleNoticesRequest struct {
	Write
	Seqs []int64 `json:"seqs,omitzero"`
}

// SettledNotices says how many were settled.
type SettledNotices struct {
	Settled int `json:"settled"`
}
