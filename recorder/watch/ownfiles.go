package watch

import "wiretea/session/filewatch"

// author is who may have written a file while we were busy.
type author uint8

const (
	byBuild  author = iota // byBuild: the build ran.
	byServer               // byServer: the server was started and asked.
	numAuthors
)

// ownFiles learns which files are written by the build and by the server, not by
// the user:
//
//   - a file that changed while a build ran causes one more build: the user may
//     have saved it. One that changes again during that build is a product, and
//     from then on does not count while a build runs;
//   - likewise for what changes while the server is started and asked. Such files
//     are the server's own and do not count at all any more;
//   - a file that changed while nothing of ours ran was saved by the user: it takes
//     more before it is taken for a product;
//   - files with a new name each time are products when they do not stop coming.
//
// The zero value knows none.
type ownFiles struct {
	known  [numAuthors]map[string]bool
	saved  map[string]bool            // saved changed while nothing of ours ran.
	streak [numAuthors]map[string]int // streak counts how often in a row a file changed.
	rounds int                        // rounds counts the builds and restarts in a row that were caused by such changes.
}

const (
	// patienceOwn is the how manieth time in a row that a file changes while we are
	// busy shows that it is our own; patienceSaved the same for one that was saved.
	patienceOwn, patienceSaved = 2, 5
	// mostRounds is after how many rounds whatever changes is.
	mostRounds = 5
)

// outside takes what has changed while nothing of ours ran.
func (o *ownFiles) outside(batch filewatch.Batch) {
	if o.saved == nil {
		o.saved = map[string]bool{}
	}
	for _, path := range batch {
		if !o.known[byBuild][path] && !o.known[byServer][path] {
			o.saved[path] = true
		}
	}
	o.rounds = 0
	o.streak = [numAuthors]map[string]int{}
}

// server reports whether all of a batch is written by the server itself.
func (o *ownFiles) server(batch filewatch.Batch) bool {
	for _, path := range batch {
		if !o.known[byServer][path] {
			return false
		}
	}
	return len(batch) > 0
}

// counts reports whether a change, made while we were busy, may be the user's.
func (o *ownFiles) counts(by author, path string) bool {
	limit := patienceOwn
	if o.saved[path] {
		limit = patienceSaved
	}
	return !o.known[by][path] && o.streak[by][path]+1 < limit && o.rounds < mostRounds
}

// during takes what has changed while a build ran or the server was started, and
// returns what the user may have saved, nil = nothing, and what is now known to be
// written by that author.
func (o *ownFiles) during(by author, changed filewatch.Batch) (fresh, own filewatch.Batch) {
	streak := map[string]int{}
	for _, path := range changed {
		switch {
		case o.known[by][path]:
		case o.counts(by, path):
			streak[path] = o.streak[by][path] + 1
			fresh.Add(path)
		default:
			if o.known[by] == nil {
				o.known[by] = map[string]bool{}
			}
			o.known[by][path] = true
			delete(o.saved, path)
			own.Add(path)
		}
	}
	o.streak[by] = streak
	if fresh != nil {
		o.rounds++
	}
	return fresh, own
}
