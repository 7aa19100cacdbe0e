package export

import "testing"

// LimitPages sets how much a page has, for a test.
func LimitPages(t *testing.T, rows int, bodies int64) {
	r, b := mostPageRows, mostPageBodies
	mostPageRows, mostPageBodies = rows, bodies
	t.Cleanup(func() { mostPageRows, mostPageBodies = r, b })
}
