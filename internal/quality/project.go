package quality

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Piece is an artifact of a generated project.
type Piece struct {
	Text
	Type string
}

// subject is what some artifacts of a project are about: words that are said of it.
type subject struct {
	name  string
	words []string
}

const (
	piecesOfASubject = 25
	// topical is of how many words in a hundred of a text its subject is the
	// source; borrowed of how many of these another subject is.
	topical, borrowed = 7, 45
)

// Project makes a project of 250 artifacts about ten subjects, 150 to 300 words
// each, and a task about each in other words of it; what is about the subject is
// relevant. No text has all words of its subject, every text has some of others,
// nearly half of its telling words are of others, and the task names four.
func Project() ([]Piece, []Question) {
	r := rand.New(rand.NewPCG(25, 250))
	types := []string{
		"paper_note", "analysis_result", "paper_note", "analysis_result",
	}
	var pieces []Piece
	var questions []Question
	for s, about := range subjects {
		q := Question{Relevant: map[string]bool{}}
		for p := range piecesOfASubject {
			other := subjects[(s+1+r.IntN(len(subjects)-1))%len(subjects)]
			known := pick(r, about.words, 8)
			say := func(n int) string {
				var b strings.Builder
				for i := range n {
					word := plainWords[r.IntN(len(plainWords))]
					if r.IntN(100) < topical {
						word = known[r.IntN(len(known))]
						if r.IntN(100) < borrowed {
							word = other.words[r.IntN(len(other.words))]
						}
					}
					if i > 0 {
						b.WriteByte(' ')
					}
					b.WriteString(word)
					if i%14 == 13 {
						b.WriteByte('.')
					}
				}
				return b.String()
			}
			id := fmt.Sprintf("piece-%d-%02d", s, p)
			pieces = append(pieces, Piece{
				Text: Text{ID: id, Summary: say(12), Body: say(150 + r.IntN(150))},
				Type: types[p%len(types)],
			})
			q.Relevant[id] = true
		}
		q.Text = strings.Join(pick(r, about.words, 4), " ")
		questions = append(questions, q)
	}
	r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	return pieces, questions
}

// pick chooses n different words.
func pick(r *rand.Rand, words []string, n int) []string {
	out := make([]string, n)
	for i, at := range r.Perm(len(words))[:n] {
		out[i] = words[at]
	}
	return out
}

var subjects = []subject{
	{"oxygen in a lake", strings.Fields("oxygen lake algae respiration stratification sediment thermocline phosphate nitrogen anoxia plankton buoy turbidity depth salinity inflow mixing bloom")},
	{"growth of embryos", strings.Fields("embryo morphogen gradient somite blastula zebrafish clone lineage differentiation notochord bicoid receptor progenitor epithelium mesoderm fate patterning gastrulation")},
	{"wings", strings.Fields("wing airfoil boundary lift drag vortex supersonic flutter turbulence fuselage aileron shockwave viscosity camber stall wake pitching leading-edge")},
	{"databases", strings.Fields("database transaction index replica latency throughput shard journal checkpoint cache query deadlock snapshot schema compaction leader quorum bandwidth")},
	{"vaccines", strings.Fields("vaccine antibody antigen adjuvant titer immunity booster placebo cohort virus serum mutation epitope infection lymphocyte dose efficacy seroconversion")},
	{"steel", strings.Fields("steel alloy annealing hardness fatigue fracture corrosion grain quenching tensile austenite weld creep ductility carbide rolling chromium martensite")},
	{"learning to read", strings.Fields("reading pupil vocabulary phoneme classroom teacher literacy comprehension fluency syllable spelling curriculum dyslexia storybook letter tutoring grammar decoding")},
	{"glaciers", strings.Fields("glacier moraine ablation icefall crevasse firn meltwater albedo calving snowline permafrost bedrock tongue debris accumulation isotope surge fjord")},
	{"markets", strings.Fields("market inflation interest bond liquidity arbitrage volatility dividend hedge auction broker currency deposit leverage credit futures premium default")},
	{"bees", strings.Fields("bee colony pollen nectar hive mite foraging queen brood waggle swarm honey drone pesticide pollination comb larva orchard")},
}

var plainWords = strings.Fields(`the of and in we that was for with on as this at by from were which than more two first after between when both
	observed measured found small large change higher lower week during value increase decrease sample compared year effect several strong
	weak remained control group average early late often rarely again site second half series rate range level condition typical expected`)
