// Package claim reads what a sentence claims, as far as rules can tell, and
// compares two readings.
//
// A Reading is a sentence cut into words, with what changes its meaning most
// taken out and named: quantities with their bounds and units, negations,
// quantifiers, "only", exceptions, conditions, and the order of things. Compare
// says of two readings whether they say the same, are Opposed (both cannot
// hold), or stand Apart: they differ in something that matters, and both may
// hold, or the rules cannot tell. Whoever merges must see Same; whoever calls
// something a contradiction must see Opposed.
//
// A Quantity by itself is a number or a range with a unit: "at least 5 mm",
// "120 min", "3–5 %". Quantities of one kind are compared across units.
//
// English is understood; what is not (irony, other languages, what only follows
// from knowledge of the world) is compared word by word. Everything is a
// function of its input, in time near linear in the length of the sentence and
// quadratic in at most MostWords words.
package claim
