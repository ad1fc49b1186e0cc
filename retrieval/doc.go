// Package retrieval finds texts by what they say, and ranks them. Searches,
// contexts and lists of lessons all rank by it, on every database alike.
//
// A text is cut into words (words.go). What is asked becomes weighed terms
// (question.go): all words of a question; of a task those less that tasks of the
// project often have; then the words that tell most about the best texts found
// so far, and words near in meaning. The score of a text is BM25F over summary
// and content (score.go), in whole steps, so that the sum is the same in any
// order; what it is made of can be told for every hit (Search.Parts).
//
// Who has which word stands in an index of segments (page.go): made at once out
// of a batch of texts (Builder), never changed, merged now and then (Merger),
// kept by a database as rows of a few kilobytes. A search reads of each segment
// the pages of its words and passes over what cannot be among the best
// (search.go). How many texts have a word is exact at any moment, however the
// segments stand; so a ranking is a function of the texts alone.
//
// Nothing here reads a database: a caller asks which pages are needed, gets
// them, and hands them in.
package retrieval
