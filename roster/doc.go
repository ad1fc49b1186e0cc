// Package roster says who plays which part in a session and what each agent is
// told when it starts.
//
// A Roster maps agents to roles. It can be pieced together from flags,
// environment, session, project configuration and a preset: Resolve does that
// and says where each part came from. Validate and Cover hold it against the
// rules, reporting every error at once. A Kickoff is composed from a roster and
// a question: one message per recipient, carrying the prompt of its role, the
// roster itself for audit, and how to answer.
//
// Nothing here reads a file, a variable or a clock: what came from where is
// told by the caller.
package roster
