package embed

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"brenner"
	"brenner/check"
	"brenner/claim"
	"brenner/playbook"
)

// made is a generated pair of sentences of one kind.
type made struct {
	kind    string
	a, b    string
	same    bool
	opposed bool // may be called a contradiction
}

// subjects are in the words of trades that the rules were not made with.
var subjects = []struct{ verb, gerund, thing, participle string }{
	{"Rinse", "Rinsing", "the beakers", "rinsed"},
	{"Weigh", "Weighing", "the parcels", "weighed"},
	{"Translate", "Translating", "the leaflets", "translated"},
	{"Audit", "Auditing", "the ledgers", "audited"},
	{"Prune", "Pruning", "the roses", "pruned"},
	{"Calibrate", "Calibrating", "the balances", "calibrated"},
	{"Vaccinate", "Vaccinating", "the calves", "vaccinated"},
	{"Invoice", "Invoicing", "the customers", "invoiced"},
	{"Sharpen", "Sharpening", "the chisels", "sharpened"},
	{"Rehearse", "Rehearsing", "the speeches", "rehearsed"},
}

// heldOut makes the pairs. They were written after the rules, and no rule was
// changed because of them.
func heldOut() []made {
	var out []made
	for i, s := range subjects {
		n := 3 + i
		do := s.verb + " " + s.thing
		add := func(kind, a, b string, same, opposed bool) { out = append(out, made{kind, a, b, same, opposed}) }
		// Never merged.
		add("at least/at most", fmt.Sprintf("%s at least %d times.", do, n), fmt.Sprintf("%s at most %d times.", do, n), false, false)
		add("minimum/maximum", fmt.Sprintf("%s for a minimum of %d minutes.", do, n), fmt.Sprintf("%s for a maximum of %d minutes.", do, n), false, false)
		add("all/only some", fmt.Sprintf("All of %s are %s.", s.thing, s.participle), fmt.Sprintf("Only some of %s are %s.", s.thing, s.participle), false, true)
		add("every/not every", fmt.Sprintf("%s every day.", do), fmt.Sprintf("%s, but not every day.", do), false, true)
		add("harmful", do+".", s.gerund+" "+s.thing+" is harmful.", false, true)
		add("bad idea", do+".", s.gerund+" "+s.thing+" is a bad idea.", false, true)
		add("except when", do+".", do+", except when it rains.", false, false)
		add("unless", do+".", do+", unless the inspector is absent.", false, false)
		add("only", s.verb+" only "+s.thing+".", do+".", false, false)
		add("units", fmt.Sprintf("%s for %d minutes.", do, n), fmt.Sprintf("%s for %d hours.", do, n), false, true)
		add("numbers", fmt.Sprintf("%s for %d minutes.", do, n), fmt.Sprintf("%s for %d minutes.", do, n+9), false, true)
		add("never", do+" on arrival.", "Never "+strings.ToLower(do[:1])+do[1:]+" on arrival.", false, true)
		add("before/after", do+" before lunch.", do+" after lunch.", false, true)
		add("weekday", do+" on Tuesday.", do+" on Thursday.", false, false)
		// Never called a contradiction, and the same.
		add("prior to", do+" before lunch.", do+" prior to lunch.", true, false)
		add("conversion", fmt.Sprintf("%s for %d hours.", do, n), fmt.Sprintf("%s for %d minutes.", do, 60*n), true, false)
		add("insufficient", fmt.Sprintf("There is not enough time to %s.", strings.ToLower(do[:1])+do[1:]), fmt.Sprintf("There is insufficient time to %s.", strings.ToLower(do[:1])+do[1:]), true, false)
		add("no more than", fmt.Sprintf("%s at most %d times.", do, n), fmt.Sprintf("%s no more than %d times.", do, n), true, false)
		add("passive", do+" on arrival.", strings.ToUpper(s.thing[:1])+s.thing[1:]+" should be "+s.participle+" on arrival.", true, false)
		add("number words", fmt.Sprintf("%s %d times.", do, 2), do+" two times.", true, false)
		add("fronted", do+" when it rains.", "When it rains, "+strings.ToLower(do[:1])+do[1:]+".", true, false)
	}
	return out
}

// guardOn tells what the guard makes of generated pairs.
func guardOn(pairs []made) (merged, contradicted, kept map[string]int, v verdict) {
	merged, contradicted, kept = map[string]int{}, map[string]int{}, map[string]int{}
	guard := playbook.Guard{Words: Builtin()}
	for _, p := range pairs {
		clash, apart := guard.Clash(p.a, p.b)
		if clash.Opposed && !p.opposed {
			contradicted[p.kind]++
		}
		switch alike := product(Builtin().Vec(p.a), Builtin().Vec(p.b)) >= playbook.DefaultThreshold; {
		case p.same && apart:
			kept[p.kind]++
			v.missed++
		case p.same && !alike:
			v.missed++
		case p.same:
			v.right++
		case !apart:
			merged[p.kind]++
			if alike {
				v.wrong++
			}
		}
	}
	return merged, contradicted, kept, v
}

// B4: on kinds of pairs that the rules were not made with, nothing of the named
// kinds merges, whatever the vectors say, and nothing that says the same is
// called a contradiction.
func TestGuard_OnGeneratedKinds(t *testing.T) {
	pairs := heldOut()
	merged, contradicted, kept, v := guardOn(pairs)
	t.Logf("%d pairs of 21 kinds: precision %.3f, recall %.3f at cosine 0.8; merged %v, kept apart though the same %v",
		len(pairs), v.precision(), v.recall(), merged, kept)
	for _, kind := range []string{"at least/at most", "minimum/maximum", "all/only some", "harmful", "except when", "only", "units"} {
		if merged[kind] > 0 {
			t.Errorf("%s: %d merged", kind, merged[kind])
		}
	}
	if len(contradicted) > 0 {
		t.Errorf("called contradictions: %v", contradicted)
	}
}

// judged is a pair of the STS Benchmark's development part.
type judged struct {
	score float64
	a, b  string
}

// stsHalf reads every second pair: the even ones the rules were tuned on, the
// odd ones they were not.
func stsHalf(tb testing.TB, half int) []judged {
	tb.Helper()
	for _, dir := range []string{"../../../shared/data", "../../../../shared/data"} {
		f, err := os.Open(dir + "/sts-dev.csv")
		if err != nil {
			continue
		}
		defer f.Close()
		var out []judged
		n := 0
		for lines := bufio.NewScanner(f); lines.Scan(); n++ {
			fields := strings.Split(lines.Text(), "\t")
			score, err := strconv.ParseFloat(fields[4], 64)
			if err != nil {
				tb.Fatal(err)
			}
			if n%2 == half {
				out = append(out, judged{score, fields[5], fields[6]})
			}
		}
		return out
	}
	tb.Skip("skipped: the shared collection sts-dev.csv is not beside this tree")
	return nil
}

func judgeSTS(pairs []judged, guard playbook.Guard) (v verdict, opposed, n int) {
	for _, p := range pairs {
		if p.score >= 3 && p.score < 4 {
			continue
		}
		n++
		clash, apart := guard.Clash(p.a, p.b)
		merged := !apart && product(Builtin().Vec(p.a), Builtin().Vec(p.b)) >= playbook.DefaultThreshold
		if clash.Opposed && p.score >= 4 {
			opposed++
		}
		switch same := p.score >= 4; {
		case merged && same:
			v.right++
		case merged:
			v.wrong++
		case same:
			v.missed++
		}
	}
	return v, opposed, n
}

// B4: the guard on human-judged pairs: grade 4 and above is the same, below 3
// is not. The tuning half is printed for comparison only.
func TestGuard_OnJudgedPairs(t *testing.T) {
	for half, name := range []string{"tuning half", "held-out half"} {
		pairs := stsHalf(t, half)
		off, _, n := judgeSTS(pairs, playbook.Guard{Off: true})
		on, opposed, _ := judgeSTS(pairs, playbook.Guard{Words: Builtin()})
		t.Logf("%s, %d pairs: without the guard precision %.3f, recall %.3f; with it %.3f, %.3f; %d of the same called contradictions",
			name, n, off.precision(), off.recall(), on.precision(), on.recall(), opposed)
		if on.precision() < off.precision() {
			t.Errorf("%s: the guard lowers the precision", name)
		}
	}
}

// C25: the built-in model brings statements that are opposed near enough to be
// compared.
func TestClaims_OpposedStatementsAreCompared(t *testing.T) {
	far := 0
	pairs := heldOut()
	n := 0
	for _, p := range pairs {
		if claim.Compare(claim.Read(p.a), claim.Read(p.b), Builtin()).Verdict != claim.Opposed {
			continue
		}
		n++
		if product(Builtin().Vec(p.a), Builtin().Vec(p.b)) < 0.6 {
			far++
		}
	}
	t.Logf("%d of %d opposed pairs lie below 0.6", far, n)
	if n == 0 {
		t.Error("no pair is opposed")
	}
}

// scopeBrief is what the paragraphs of scopeTexts are held to.
var scopeBrief = check.Brief{
	Ref:   brenner.Ref{Artifact: "brief", Version: 1},
	Goals: []string{"find out how bees choose flowers", "measure how far foragers fly"},
	InScope: []string{
		"field trials with honey bees", "scent and colour of flowers", "weather during the flights",
	},
	OutOfScope: []string{
		"pesticide toxicity to bees", "marketing of honey", "genome sequencing of queens", "design of new hives", "diseases caused by mites",
	},
}

// scopeTexts are paragraphs that creep out of the scope and such that do not,
// written before the figures were looked at.
var scopeTexts = []struct {
	creeps bool
	text   string
}{
	{true, "We also tested how toxic three pesticides are to worker bees after a day of contact."},
	{true, "The toxicity of common pesticides was estimated from the share of dead bees."},
	{true, "Bees were exposed to pesticide residues and their toxicity was ranked."},
	{true, "Honey could be marketed under a regional label to raise its price."},
	{true, "A marketing plan for the honey of the trial sites is given in the appendix."},
	{true, "Interviews show which honey marketing channels beekeepers prefer."},
	{true, "We sequenced the genomes of twelve queens to look for foraging genes."},
	{true, "Queen genomes were sequenced on two lanes and assembled."},
	{true, "Sequencing of the queens' genome revealed many variants."},
	{true, "A new hive with a removable floor was designed for the experiment."},
	{true, "The design of the hives was changed to save wood, and new frames were drawn."},
	{true, "We propose new hive designs with better ventilation."},
	{true, "Mites caused several diseases that weakened the colonies."},
	{true, "The spread of diseases that mites carry was mapped."},
	{true, "Colonies suffered from a disease transmitted by mites."},
	{true, "Insecticides poison foragers; we list lethal doses."},
	{true, "Selling strategies for beekeepers are compared."},
	{false, "Foragers preferred blue flowers to yellow ones in every plot."},
	{false, "Bees flew up to three kilometres when the weather was calm."},
	{false, "Flower scent was measured before each flight."},
	{false, "We marked forty honey bees and followed their flights in the field."},
	{false, "Wind and rain shortened the flights of the foragers."},
	{false, "The colour of the petals explained most choices."},
	{false, "Each field trial lasted ten days and used two colonies."},
	{false, "Distances were computed from the waggle dance of returning bees."},
	{false, "Scent plates were replaced every morning to avoid carry-over."},
	{false, "The hives stood at the edge of the meadow and were opened once a day."},
	{false, "Honey bees returned to the same flowers on the next day."},
	{false, "Temperature was logged every minute during the flights."},
	{false, "We found no effect of humidity on the choice of flowers."},
	{false, "Queens were not disturbed during the trial."},
	{false, "Observers did not know which flowers carried the scent."},
	{false, "Flights longer than an hour were left out of the analysis."},
	{false, "The first trials showed that bees learn colours within a day."},
	{false, "A linear model relates distance flown to wind speed."},
	{false, "Bees avoided flowers that had been visited shortly before."},
	{false, "Nectar was weighed in the field with a portable balance."},
}

// C24: scope creep on paragraphs with known answers, printed with how it comes
// out by words alone.
func TestAlignment_ScopeCreepOnKnownParagraphs(t *testing.T) {
	model := func(texts []string) ([][]float32, error) { return Builtin().Embed(t.Context(), texts) }
	for name, o := range map[string]check.Options{"words": {}, "words and meaning": {Embed: model}} {
		var v verdict
		for _, p := range scopeTexts {
			subject := check.Subject{
				Ref: brenner.Ref{Artifact: "m", Version: 1}, Summary: "A note.", Briefs: []brenner.Ref{scopeBrief.Ref},
				Paragraphs: []check.Paragraph{{Place: "p", Text: p.text}},
			}
			got, err := check.Alignment(scopeBrief, []check.Subject{subject}, o)
			if err != nil {
				t.Fatal(err)
			}
			switch found := len(got.Findings) > 0; {
			case found && p.creeps:
				v.right++
			case found:
				v.wrong++
			case p.creeps:
				v.missed++
			}
		}
		t.Logf("%s, %d paragraphs: precision %.3f, recall %.3f %+v", name, len(scopeTexts), v.precision(), v.recall(), v)
		if v.right == 0 {
			t.Error("nothing was found")
		}
	}
}
