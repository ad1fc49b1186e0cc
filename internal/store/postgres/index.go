package postgres

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"brenner"
	"brenner/internal/store"
)

// Index only notes a text. Analysing it and adding it to the index of the
// database costs as much as the rest of a write, and would be done while all
// writers of the project wait; so it is done afterwards, in the background, by
// the process that wrote it or by any other ("settling"). A search looks
// through the noted texts as well, with the same words and weights.
const (
	// settleBatch is how many texts are settled in one transaction, and how
	// many make it worth while to begin before settleDelay has passed.
	settleBatch = 64
	settleDelay = 200 * time.Millisecond
	// maxNoted is how many texts a process puts off. What goes beyond is
	// settled at once, so that searching stays fast.
	maxNoted = 512
)

// Index notes the text; if it ends in the content just stored, by reference.
func (t *tx) Index(ctx context.Context, id brenner.ArtifactID, text string) error {
	if err := store.CheckText(text); err != nil {
		return t.doom(err)
	}
	if t.notes == 0 {
		return t.indexNow(ctx, id, text)
	}
	t.notes--
	t.noted++
	const (
		insert  = `INSERT INTO unindexed (project, artifact, text, blob) SELECT $1, $2, $3, $4 `
		upsert  = ` ON CONFLICT (project, artifact) DO UPDATE SET (text, blob) = ($3, $4)`
		checked = insert + there + upsert
	)
	var blob []byte
	if n := len(text) - len(t.content.data); n >= 0 && len(t.content.data) > 0 && text[n:] == string(t.content.data) {
		text, blob = text[:n], t.content.sum[:]
	}
	return t.try(ctx, t.known.artifacts[id], insert+upsert, checked, string(id), text, blob)
}

// there is a condition that refuses an artifact that is not there.
const there = `WHERE CASE WHEN EXISTS (SELECT FROM artifacts WHERE project = $1 AND id = $2) THEN true
	ELSE refuse('BR404', 'there is no artifact ' || $2) END`

// indexNow settles a text without noting it. To take out a noted one waits for
// whoever is settling that.
func (t *tx) indexNow(ctx context.Context, id brenner.ArtifactID, text string) error {
	const (
		forget  = `DELETE FROM unindexed WHERE project = $1 AND artifact = $2`
		checked = `WITH gone AS (` + forget + `) SELECT ` + there
	)
	if err := t.try(ctx, t.known.artifacts[id], forget, checked, string(id)); err != nil {
		return err
	}
	for _, s := range settling(t.project, id, text) {
		if err := t.put(ctx, s.sql, s.args[1:]...); err != nil {
			return err
		}
	}
	return nil
}

// settling gives the statements that make a text findable instead of any
// earlier one.
func settling(project int32, id brenner.ArtifactID, text string) []statement {
	parts := vectors(project, store.Terms(text))
	all := []statement{{
		`DELETE FROM documents WHERE project = $1 AND artifact = $2 AND part >= $3`,
		[]any{project, string(id), len(parts)},
	}}
	for part, words := range parts {
		all = append(all, statement{
			`INSERT INTO documents (project, artifact, part, words) VALUES ($1, $2, $3, $4)
			ON CONFLICT (project, artifact, part) DO UPDATE SET words = excluded.words`,
			[]any{project, string(id), part, words},
		})
	}
	return all
}

// maxVector bounds what one vector takes in the database, which allows 1 MiB.
const maxVector = 512 << 10

// vectors makes the words of a document into tsvectors, few enough in each.
func vectors(project int32, terms []store.Term) []pgtype.TSVector {
	var all []pgtype.TSVector
	for len(terms) > 0 {
		lexemes := []pgtype.TSVectorLexeme{{Word: projectWord(project)}}
		for size := 0; len(terms) > 0 && size < maxVector; terms = terms[1:] {
			word := lexeme(terms[0].Word, terms[0].Weight)
			size += len(word) + 4 // for its entry
			lexemes = append(lexemes, pgtype.TSVectorLexeme{Word: word})
		}
		all = append(all, pgtype.TSVector{Lexemes: lexemes, Valid: true})
	}
	return all
}

// lexeme is how the index knows a word of some weight.
func lexeme(word string, weight int) string { return word + strconv.Itoa(weight) }

// projectWord is what the index knows the project by. It sorts before any word
// of a text, which are letters and digits.
func projectWord(project int32) string { return fmt.Sprintf("/%d", project) }

// settler moves noted texts into the index while there are any.
type settler struct {
	mu      sync.Mutex
	noted   int // by this process, and not settled
	running bool
	closed  bool
	hurry   chan struct{} // do not wait for more
	idle    *sync.Cond    // running has ended
}

func (s *settler) init() { s.hurry, s.idle = make(chan struct{}, 1), sync.NewCond(&s.mu) }

// room is how many more texts may be put off.
func (s *settler) room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, maxNoted-s.noted)
}

// add says that texts have been noted for good.
func (s *settler) add(n int, settle func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noted += n; n == 0 || s.closed {
		return
	}
	if !s.running {
		s.running = true
		go settle()
	}
	if s.noted >= settleBatch {
		s.hasten()
	}
}

func (s *settler) hasten() {
	select {
	case s.hurry <- struct{}{}:
	default:
	}
}

// close waits until this process has settled what it noted.
func (s *settler) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.hasten()
	for s.running {
		s.idle.Wait()
	}
}

// settle runs until nothing is noted. What it cannot settle stays noted in the
// database, for the next who tries.
func (s *Store) settle() {
	for {
		select {
		case <-s.settler.hurry:
		case <-time.After(settleDelay):
		}
		s.settler.mu.Lock()
		noted := s.settler.noted
		s.settler.mu.Unlock()
		for done := 0; done < noted; done += settleBatch {
			if n, err := s.settleSome(); n < settleBatch || err != nil {
				break
			}
		}
		s.settler.mu.Lock()
		if s.settler.noted -= noted; s.settler.noted == 0 {
			s.settler.running = false
			s.settler.idle.Broadcast()
			s.settler.mu.Unlock()
			return
		}
		s.settler.mu.Unlock()
	}
}

// settleSome settles up to settleBatch texts and gives how many. It does not
// hold up writers, unless one notes the text anew that is just being settled.
func (s *Store) settleSome() (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), brenner.WriteDeadline)
	defer cancel()
	conn, err := s.readers.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release() // which drops a connection that is in a transaction
	on := newSession(ctx, conn.Conn())
	on.held = []statement{{sql: `BEGIN ISOLATION LEVEL READ COMMITTED`}, {sql: `SET LOCAL synchronous_commit = off`}}
	var settled []string
	var changes []statement
	if err := on.query(ctx, func(rows pgx.Rows) error {
		var id, text string
		var content []byte
		if err := rows.Scan(&id, &text, &content); err != nil {
			return err
		}
		settled = append(settled, id)
		changes = append(changes, settling(s.project, brenner.ArtifactID(id), text+string(content))...)
		return nil
	}, fmt.Sprintf(`SELECT artifact, text, data FROM unindexed LEFT JOIN blobs ON blobs.project = $1 AND digest = blob
		WHERE unindexed.project = $1 ORDER BY artifact LIMIT %d FOR UPDATE OF unindexed SKIP LOCKED`, settleBatch), s.project); err != nil {
		return 0, err
	}
	on.held = append(on.held[:0:0], changes...)
	on.held = append(on.held,
		statement{`DELETE FROM unindexed WHERE project = $1 AND artifact = ANY($2)`, []any{s.project, settled}},
		statement{sql: `COMMIT`})
	_, err = on.send(nil)
	return len(settled), err
}
