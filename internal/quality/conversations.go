package quality

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Talk is a collection of conversations: each turn is a text, and answers the one
// before it unless it is the first of a talk.
type Talk struct {
	Collection
	// Before names the turn that a turn answers, Talk the talk it is part of.
	Before map[string]string
	Talk   map[string]string
}

// A thread is a few turns about one thing that happened, with A and B for the two
// who talk, {0}, {1}… for what varies, and * before the turns that answer the
// questions, the first of them the first.
type thread struct {
	subject   string // what those who talk call it
	turns     []string
	choices   [][]string
	questions []string
}

// Half names one half of the threads and the people: constants are looked at on
// the one, figures reported of the other.
type Half int

// The halves. Others are everybody else, and talk about other things.
const (
	Tuning Half = iota
	Reported
	Others
)

const (
	sessionsOfATalk   = 3
	threadsOfASession = 2
	// restated is of how many answers in ten the speaker says again what they are
	// about; the others only make sense after what they answer.
	restated = 6
)

// Conversations makes some conversations between two people each, the same every
// time. Two talk about two things at each meeting, one after the other; the pairs
// of a half talk about the same things, with other outcomes.
func Conversations(half Half, talks int) Talk {
	r := rand.New(rand.NewPCG(uint64(half)+21, 34))
	threads := tuningThreads
	switch half {
	case Reported:
		threads = reportedThreads
	case Others:
		threads = otherThreads
	}
	out := Talk{Before: map[string]string{}, Talk: map[string]string{}}
	for t := range talks {
		a, b := people(half, t)
		order := r.Perm(len(threads))
		for s := range sessionsOfATalk {
			talk := fmt.Sprintf("talk-%d-%d-%d", half, t, s)
			before, turn := "", 0
			say := func(who, text string) string {
				id := fmt.Sprintf("%s-%02d", talk, turn)
				turn++
				out.Texts = append(out.Texts, Text{ID: id, Summary: text, Body: who + ": " + text})
				out.Talk[id] = talk
				if before != "" {
					out.Before[id] = before
				}
				before = id
				return id
			}
			say(a, greetings[r.IntN(len(greetings))])
			say(b, welcomes[r.IntN(len(welcomes))])
			for i := range threadsOfASession {
				th := threads[order[(s*threadsOfASession+i)%len(order)]]
				first, second := a, b
				if r.IntN(2) == 0 {
					first, second = b, a
				}
				fill := strings.NewReplacer(th.picked(r, first, second)...)
				var answers []string
				for n, line := range th.turns {
					who := first
					if n%2 == 1 {
						who = second
					}
					text, answer := strings.CutPrefix(line, "*")
					if answer && r.IntN(10) < restated {
						text = fmt.Sprintf(leads[r.IntN(len(leads))], th.subject) + " " + text
					}
					id := say(who, fill.Replace(text))
					if answer {
						answers = append(answers, id)
					}
				}
				if r.IntN(2) == 0 {
					say(second, asides[r.IntN(len(asides))])
					say(first, asides[r.IntN(len(asides))])
				}
				for n, question := range th.questions {
					out.Questions = append(out.Questions, Question{
						Text: fill.Replace(question), Relevant: map[string]bool{answers[min(n, len(answers)-1)]: true},
					})
				}
			}
			say(b, farewells[r.IntN(len(farewells))])
		}
	}
	return out
}

// picked chooses what varies in a thread.
func (th thread) picked(r *rand.Rand, a, b string) []string {
	out := []string{"{A}", a, "{B}", b}
	for i, c := range th.choices {
		out = append(out, fmt.Sprintf("{%d}", i), c[r.IntN(len(c))])
	}
	return out
}

// people names two who talk: of either half everybody once, of others by first and
// second name.
func people(half Half, talk int) (string, string) {
	if half == Others {
		n := len(otherNames)
		return otherNames[talk%n] + " " + familyNames[talk/n%len(familyNames)], otherNames[(talk*7+3)%n] + " " + familyNames[(talk*3+1)%len(familyNames)]
	}
	names := tuningNames
	if half == Reported {
		names = reportedNames
	}
	return names[(2*talk)%len(names)], names[(2*talk+1)%len(names)]
}

var (
	tuningNames   = strings.Fields("Mara Tobias Ines Viktor Selma Rashid Greta Pavel Nadia Oskar Leila Bruno Ayesha Felix Carmen Janek Ilse Marek Rosalind Youssef Paula Stefan Amina Gregor Lotte Hassan Judith Ivo Celeste Malik Agnes Radek Fatima Otto Bianca Emil Sunniva Davor Perla Kasimir")
	reportedNames = strings.Fields("Dalia Henrik Yuki Matteo Freya Omar Linnea Kofi Petra Sanjay Noor Anton Beatriz Ewan Hanna Tariq Solveig Ricardo Mei Joachim Zeynep Callum Ottilie Samir Brigid Lorenzo Ama Torsten Keiko Andrzej Flora Idris Marta Rune Sabine Elias Naomi Gustav Priya Fergus")
	otherNames    = strings.Fields("Alba Boris Clara Dmitri Elif Farid Gisela Hugo Irene Jonas Karin Luca Mina Nils Olga Pablo Quinn Rosa Sven Tessa Udo Vera Wim Xenia Yannick Zoe Amir Bettina Cyril Dora")
	familyNames   = strings.Fields("Abel Brandt Castro Dahl Ekdal Ferrer Grimm Holt Ivanov Jansen Kraus Lund Moretti Novak Ortiz Petrov Quist Rossi Silva Toth Ulrich Vance Weber Ximenes Young Zeman Arslan Bauer Cruz Diaz")

	greetings = []string{
		"Hi there! How have you been?", "Good to hear from you again. What's new?", "Hey, long time no see.", "Morning! Do you have a minute?",
		"Hello! I was just thinking of you.", "So, how was your week?",
	}
	welcomes = []string{
		"Busy as always, but fine.", "Can't complain. Tell me everything.", "Pretty good, thanks. And yourself?", "Tired, to be honest, but happy.",
		"All well here. Go ahead.", "It has been quite a month.",
	}
	asides = []string{
		"That sounds wonderful.", "I know exactly what you mean.", "Ha, typical!", "You have to tell me more next time.", "I'm so glad to hear that.",
		"Really? I would never have guessed.", "Let's hope for the best.", "That makes two of us.",
	}
	leads     = []string{"As for %s:", "About %s, since you ask.", "Well, %s!", "You mean %s?", "Oh, %s.", "So, %s:"}
	farewells = []string{"I have to run. Talk soon!", "Take care, see you next week.", "Bye for now.", "Great catching up. Until then!"}
)
