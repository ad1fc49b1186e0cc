// Package program knows how the programs of agents are started and what they
// print: Claude Code, Codex, Gemini CLI, opencode, any OpenAI-compatible
// endpoint, any command, and a script.
//
// A Program is data: which profile, which model, with what tools, where, within
// which bounds. A profile turns it into a Command for one run, and reads the
// events that the command prints into progress, usage, and how it ended. What
// starts processes, and waits for them, is the runner's.
package program
