package roster

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/delta"
)

// Kickoff is what starts a session: who is written to, about what.
type Kickoff struct {
	Session brenner.SessionID
	// Question may be empty: then the thread is for the agents to open.
	Question string
	// Context is what the PI adds to the question.
	Context    string
	Roster     Roster
	Recipients []brenner.ActorName
	// Module is what the session is about, Compile when it is compiled.
	Module  brenner.Module
	Compile CompileMode
	// Prompts replaces built-in prompts, by name.
	Prompts map[string]string
	// Sections are the parts of the session artifact that the deltas of a role
	// may change, as its policy names them (D25); none: all.
	Sections map[brenner.Role][]string
	// Writes are the types of artifact that a role may write, as its policy names
	// them.
	Writes map[brenner.Role][]brenner.TypeName
	// Forms says how content of a type is written.
	Forms map[brenner.TypeName]string
}

// Message is one kickoff on its way to one agent.
type Message struct {
	To      brenner.ActorName `json:"to"`
	Subject string            `json:"subject"`
	Body    string            `json:"body"` // Markdown
}

// Compose writes one message per recipient, in their order. A roster with an
// error, or one that does not place every recipient, is INVALID_ROSTER with
// every finding, and no message is composed.
func (k Kickoff) Compose() ([]Message, error) {
	if err := Refuse(append(Validate(k.Roster), Cover(k.Roster, k.Recipients)...)); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(k.Question) > brenner.MaxQuestionRunes {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "the question is longer than %d characters", brenner.MaxQuestionRunes).
			WithHint("put the rest into the context or the project brief")
	}
	messages := make([]Message, len(k.Recipients))
	for i, name := range k.Recipients {
		messages[i] = Message{To: name, Subject: k.subject(), Body: k.body(name)}
	}
	return messages, nil
}

// subject fits on one line of an inbox.
func (k Kickoff) subject() string {
	s := "KICKOFF: " + string(k.Session)
	if q := brenner.OneLine(k.Question); q != "" {
		s += " – " + brenner.Clip(q, 100)
	}
	return s
}

func (k Kickoff) body(to brenner.ActorName) string {
	role := k.roleOf(to)
	var b strings.Builder
	fmt.Fprintf(&b, "# Session %s\n\n", k.Session)
	b.WriteString(SessionConfiguration(k.Roster))
	b.WriteString("\n## Question\n\n")
	b.WriteString(quote(k.Question, "No question has been put yet. Propose one by an EDIT of `research_thread`."))
	if strings.TrimSpace(k.Context) != "" {
		b.WriteString("\n## Context\n\n" + quote(k.Context, ""))
	}
	for _, part := range []string{k.prompt(role), k.answer(to, role)} {
		if part = strings.TrimSpace(Address(part, to, k.Session)); part != "" {
			b.WriteString("\n" + part + "\n")
		}
	}
	return markExamples(b.String())
}

// prompt is that of a role. What a built-in one says of reading and writing is left out: below
// it stands what the policy in force says.
func (k Kickoff) prompt(role brenner.Role) string {
	name := promptFor(k.Roster.mode(), role)
	text := Prompt(name, k.Prompts)
	if _, own := k.Prompts[name]; own {
		return text
	}
	before, scope, _ := strings.Cut(text, "## What you may read and write\n")
	_, after, _ := strings.Cut(scope, "\n## ")
	if after != "" {
		before += "## " + after
	}
	return before
}

// answer says how to answer: with the sections that are the reader's to write,
// and when its answer takes effect.
func (k Kickoff) answer(to brenner.ActorName, role brenner.Role) string {
	module := k.Module
	if module == "" {
		module = "project"
	}
	whole := k.whole(role)
	return strings.NewReplacer(
		"{{module}}", string(module), "{{role}}", string(role), "{{sections}}", k.writes(role, whole), "{{kinds}}", kinds(whole),
		"{{empty}}", k.empty(role), "{{evidence}}", k.evidence(role), "{{compile}}", explained(k.Compile), "{{conclusion}}", k.conclusion(to), "{{divide}}", k.divide(to),
	).Replace(builtin("answer"))
}

// Concludes is who says in the end what the answer is: the first recipient that
// may edit the research thread, "" if none may.
func (k Kickoff) Concludes() brenner.ActorName {
	for _, name := range k.Recipients {
		given := k.Sections[k.roleOf(name)]
		edit := func(s string) bool {
			return s == string(delta.ResearchThread) || s == string(delta.ResearchThread)+":EDIT"
		}
		if k.Roster.mode() == Unified || len(given) == 0 || slices.ContainsFunc(given, edit) {
			return name
		}
	}
	return ""
}

// DivideWithin is how long those who were asked wait for the one who divides the work.
const DivideWithin = 5 * time.Minute

// divide says who divides the work where several could begin with the same: the first
// of the recipients, with what announces its own part.
func (k Kickoff) divide(to brenner.ActorName) string {
	if len(k.Recipients) < 2 {
		return ""
	}
	first := k.Recipients[0]
	how := brenner.Do("task.new", "title", "…", "claim", "true", "session", string(k.Session), "part", string(k.Recipients[1])+":…").Mark()
	minutes := fmt.Sprint(DivideWithin.Minutes())
	const heading = "\n## Who does what\n\n"
	switch {
	case k.Roster.mode() == Unified: // there all get one text (R2)
		return heading + string(first) + " divides the work, before anything else: " + how + ", a part for each of the others.\nThey wait for that at most " + minutes +
			" minutes, look at the source and announce nothing; what is left to them they need not claim, and it says what they need to read.\n"
	case to == first:
		return heading + "You divide the work, before anything else and within " + minutes + " minutes: " + how + ",\nthe title what you do yourself, a part for each of the others, who wait for it," +
			" and with it or right after it your first items, so that theirs can name them.\nIt cannot be divided? Announce yours without parts.\n"
	}
	return heading + string(first) + " divides the work: " + brenner.Do("mail.inbox").Mark() + " brings your part, which you need not claim" +
		".\nTill then look at the source and try things. No part within " + minutes + " minutes, or " + string(first) + " has begun without? Go ahead.\n"
}

// roleOf is the role that a recipient plays.
func (k Kickoff) roleOf(name brenner.ActorName) brenner.Role {
	if e, ok := k.Roster.Entry(name); ok {
		return e.Role
	}
	role, _ := GuessRole(name)
	return role
}

// conclusion says who tells what the answer is, and how.
func (k Kickoff) conclusion(to brenner.ActorName) string {
	by := k.Concludes()
	who := string(by) + " says"
	switch {
	case by == "":
		return ""
	case k.Roster.mode() == Unified: // there all get one text (R2)
	case by != to:
		return who + " what the answer is, in `answer` of `RT`, once tests and critiques have come in. Once you stand behind it, sign it: " +
			brenner.Do("delta.submit", "file", "FILE", "nothing", "true", "session", string(k.Session)).Mark() + " with the words `RT holds`." +
			fmt.Sprintf(" Words of it that are wrong replace yourself: an EDIT of `RT` with `answer` alone, in parts, %d characters of it at most; all of it if %s has done nothing for %.0f minutes. Who signed before such a correction need not again.", brenner.MaxCorrectionRunes, by, Patience.Minutes())
	default:
		who = "You say"
	}
	return who + " what the answer is, which whoever asked reads first: once tests and critiques have come in, by an EDIT of `RT` (`research_thread`) with `answer`:" +
		" the answer by now, the items it rests on, what is open; the others sign it as it stands."
}

// empty says what to do while the slate is empty, as it is when a session
// begins.
func (k Kickoff) empty(role brenner.Role) string {
	const begins = "An empty document is how every session begins: "
	if k.Roster.mode() != Unified {
		switch role {
		case HypothesisGenerator:
			return begins + "you fill the slate. Put up\nyour hypotheses, each with a provisional id for the others to refer to, and predictions that tell them apart."
		case TestDesigner:
			return begins + "the slate may have nothing to test yet.\nThen see what is proposed; if that is nothing either, write down what the question takes for granted\n" +
				"(`assumption_ledger`), and design tests in the next round. Name no hypothesis that is not there."
		case AdversarialCritic:
			return begins + "the slate may have nothing to attack yet.\nThen attack what is there: the question, its framing, what it takes for granted, the evidence it comes with."
		}
	}
	return begins + "write what is yours to write,\nand name by a provisional id what the others will want to refer to."
}

// The types of artifact that a kickoff speaks of.
const (
	analysisResult brenner.TypeName = "analysis_result"
	rawLog         brenner.TypeName = "raw_log"
	anyType        brenner.TypeName = "*"
)

// evidence says where goes what is no delta: measurements above all.
func (k Kickoff) evidence(role brenner.Role) string {
	own := slices.DeleteFunc(slices.Clone(k.Writes[role]), func(t brenner.TypeName) bool { return t == rawLog })
	if len(own) > 0 && !slices.Contains(own, analysisResult) && !slices.Contains(own, anyType) {
		return "What outlasts the session you write as an artifact; your role may write " + quoted(own) + ".\n" + strings.TrimLeft(k.forms(own)+promotesNothing, " ") + "\nA measurement that you need" +
			" you ask for: " + brenner.Do("task.new", "role", string(TestDesigner)).Mark() + ", saying what to measure and what would count."
	}
	if len(own) == 0 || slices.Contains(own, anyType) {
		own = []brenner.TypeName{analysisResult}
	}
	out := "Every role may measure, and write the result as an artifact (" +
		brenner.Do("artifact.new", "type", string(analysisResult)).Mark() + "),\n" +
		"link it to what it derives from, and cite its id and version (`oxygen-log@1`) in `anchors` or your text, also" +
		"\nin deltas with it: choose its `id`. Number findings in headings, `## .1 …`, not `T1`: " + brenner.Do("artifact.show", "ref", "oxygen-log@2.1").Mark() + " reads one.\n" +
		"A program is an `analysis_result` by itself: " + brenner.Do("artifact.show", "ref", "oxygen-fit@1", "content", "true").Mark() + " gives the file."
	forms := k.forms(own)
	if (len(own) > 1 || own[0] != analysisResult) && slices.ContainsFunc(own, func(t brenner.TypeName) bool { return !strings.Contains(forms, "`"+string(t)+"`") }) {
		out += "\nYour role may write " + quoted(own) + "."
	}
	return out + "\n" + strings.TrimLeft(forms+promotesNothing, " ")
}

// promotesNothing is what no role of a session does, whatever it writes.
const promotesNothing = " You promote nothing; the PI does."

// forms says how the content of each of some types is written, as far as that is
// known: those that are written alike together.
func (k Kickoff) forms(types []brenner.TypeName) string {
	var forms []string
	alike := map[string][]brenner.TypeName{}
	for _, t := range types {
		form := k.Forms[t]
		if form == "" {
			continue
		}
		if alike[form] == nil {
			forms = append(forms, form)
		}
		alike[form] = append(alike[form], t)
	}
	if len(forms) == 0 {
		return ""
	}
	known := make([]string, len(forms))
	for i, form := range forms {
		known[i] = quoted(alike[form]) + " as " + form
	}
	return "Write " + strings.Join(known, "; ") + "."
}

func quoted[T ~string](names []T) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "`" + string(n) + "`"
	}
	return strings.Join(out, ", ")
}

// whole are the sections that are all a role's to write: every one without a
// division of labour, or a policy that makes one.
func (k Kickoff) whole(role brenner.Role) []delta.Section {
	given := k.Sections[role]
	if k.Roster.mode() == Unified || len(given) == 0 {
		return delta.Sections()
	}
	return slices.DeleteFunc(delta.Sections(), func(s delta.Section) bool { return !slices.Contains(given, string(s)) })
}

// writes says which sections the deltas of a role may change, and what they
// hold.
func (k Kickoff) writes(role brenner.Role, whole []delta.Section) string {
	given := k.Sections[role]
	if k.Roster.mode() == Unified || len(given) == 0 {
		return sectionTable(whole)
	}
	out := "Your deltas may change these sections; one to any other is refused (`WRITE_DENIED`)."
	var ops []string
	only := map[string][]string{} // the sections of which only one operation is the role's
	for _, s := range given {
		if name, op, one := strings.Cut(s, ":"); one {
			if only[op] == nil {
				ops = append(ops, op)
			}
			only[op] = append(only[op], name)
		}
	}
	for _, op := range ops {
		out += " Of " + quoted(only[op]) + " you may " + op + " items."
	}
	if slices.Contains(k.Writes[role], "analysis_result") { // who measures
		if !slices.Contains(whole, delta.PredictionsTable) {
			out += " Of a prediction you may set `observed`, alone in its EDIT: what you measured."
		}
		if !slices.Contains(whole, delta.DiscriminativeTests) {
			out += " Of a test that you ran yourself you may set `last_run`, `actual_outcomes` and `status`, and nothing else in that EDIT."
		}
	}
	return out + "\n\n" + sectionTable(whole)
}

// sectionTable says what the items of sections hold.
func sectionTable(sections []delta.Section) string {
	var b strings.Builder
	b.WriteString("| section | ids | an ADD needs | and may have |\n|---------|-----|--------------|--------------|\n")
	for _, section := range sections {
		for _, s := range delta.Schemas() {
			if s.Section != section {
				continue
			}
			var needs, may []string
			for _, f := range slices.Concat(s.Fields, s.Aside) {
				switch {
				case f.Name == "labels" || f.Name == "references": // the same everywhere
				case f.Required:
					needs = append(needs, fieldWords(f))
				default:
					may = append(may, fieldWords(f))
				}
			}
			ids := s.Prefix + "1…"
			if section == delta.ResearchThread {
				ids, needs = s.Prefix, []string{"no ADD, only EDIT"}
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", section, ids, strings.Join(needs, ", "), strings.Join(may, ", "))
		}
	}
	return b.String()
}

// kinds says what the fields of sections take that are no text.
func kinds(sections []delta.Section) string {
	words := []struct {
		kind delta.Kind
		says string
	}{
		{delta.KindText, "text"},
		{delta.KindFlag, "flag (`true`, `false`)"},
		{delta.KindList, "list (of texts)"},
		{delta.KindOutcomes, "outcomes (hypothesis id → text; `" + delta.Whichever + "` for what holds whichever is right)"},
		{delta.KindScore, "score (`likelihood_ratio`, `cost`, `speed`, `ambiguity`, each 0 to 3)"},
	}
	var out []string
	for _, w := range words {
		if slices.ContainsFunc(delta.Schemas(), func(s delta.Schema) bool {
			return slices.Contains(sections, s.Section) && slices.ContainsFunc(s.Fields, func(f delta.Field) bool { return f.Kind == w.kind })
		}) {
			out = append(out, w.says)
		}
	}
	return strings.Join(out, " · ")
}

// fieldWords names a field and, unless it is a text, what it takes.
func fieldWords(f delta.Field) string {
	words := "`" + f.Name + "`"
	switch {
	case len(f.Enum) > 0:
		words += " (" + strings.Join(f.Enum, ", ") + ")"
	case len(f.Usual) > 0:
		words += " (such as " + strings.Join(f.Usual, ", ") + ")"
	case f.Kind == delta.KindList && f.Items && f.Note != "":
		words += " (list of item ids: " + f.Note + ")"
	case f.Kind == delta.KindList && f.Items:
		words += " (list of item ids)"
	case f.Kind != delta.KindText:
		words += " (" + string(f.Kind) + ")"
	}
	return words
}

// explained tells a contributor when its answer takes effect.
func explained(compile CompileMode) string {
	when, again := "What you hand in is compiled as soon as everybody who was asked has answered", "what comes after that first round is compiled at once"
	if compile == CompileManual {
		when, again = "The PI compiles what has come in when it is time", "each message is one round"
	} else if _, timed := compile.After(); timed {
		when += ", and at the latest " + string(compile) + " after the first that waits"
	} else {
		when += fmt.Sprintf(", or, once most have, %.0f minutes after the last who did", Patience.Minutes())
	}
	return when + "; until then others see yours as proposals. " +
		"You are told what became of yours, and may answer again: " +
		again + ", as long as the PI asks."
}

// SessionConfiguration writes the roster as it stands in every kickoff, for
// audit: mode, name and a table, closed by a rule.
func SessionConfiguration(r Roster) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Session Configuration\n\n**Roster Mode**: %s\n", r.mode())
	if r.Name != "" {
		fmt.Fprintf(&b, "**Roster Name**: %s\n", cell(r.Name))
	}
	b.WriteString("\n| Agent | Role | Program | Model |\n|-------|------|---------|-------|\n")
	for _, e := range r.Entries {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(string(e.AgentName)), cell(string(e.Role)), cell(e.Program), cell(e.Model))
	}
	b.WriteString("\n---\n")
	return b.String()
}

// cell writes a text so that it stays inside its cell: on one line, with what
// Markdown or HTML would read as structure escaped.
func cell(s string) string {
	s = brenner.OneLine(s)
	if s == "" {
		return "-"
	}
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\|`<>[]*~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quote writes a text as a block quote, so that nothing in it can pass for a
// part of the message.
func quote(s, empty string) string {
	s = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
	if s == "" {
		return empty + "\n"
	}
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	return b.String()
}

// Starts lists how to start the program of each recipient, in their order.
func (k Kickoff) Starts() []Start {
	starts := make([]Start, len(k.Recipients))
	for i, name := range k.Recipients {
		e, _ := k.Roster.Entry(name)
		starts[i] = Start{Agent: name, Program: e.Program, Command: StartCommand(name, e.Program, k.Session)}
	}
	return starts
}

// Start is how to start one agent's program.
type Start struct {
	Agent   brenner.ActorName `json:"agent"`
	Program string            `json:"program,omitempty"`
	// Command is for a POSIX shell, in the project's directory.
	Command string `json:"command"`
}

// StartCommand is the exact command that starts a program as an agent, with its
// first instruction where the program takes one. An unknown program is started
// without; an agent without a program is shown its inbox.
func StartCommand(agent brenner.ActorName, program string, session brenner.SessionID) string {
	inbox := brenner.Do("mail.inbox").Command()
	task := shellQuote(fmt.Sprintf("You are %s in Brenner session %s. Run `%s`, read your KICKOFF and answer it with delta blocks.", agent, session, inbox))
	run := map[string]string{
		"":         inbox,
		ClaudeCode: "claude " + task,
		CodexCLI:   "codex " + task,
		GeminiCLI:  "gemini -i " + task,
	}
	command, known := run[program]
	if !known {
		command = shellQuote(program)
	}
	return "BRENNER_AGENT=" + shellQuote(string(agent)) + " " + command
}

// shellQuote quotes a word for a POSIX shell where it needs it.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-/+:@%", r))
	}
	if s != "" && !slices.ContainsFunc([]rune(s), func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
