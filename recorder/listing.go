package recorder

import (
	"encoding/json"
	"slices"

	"wiretea/session"
)

// maxListing is how long an answer with a list may be to be looked at, in bytes.
const maxListing = 32 << 20

// A Listing is all pages of a list that a server gave.
type Listing struct {
	Items []json.RawMessage // Items are as the server wrote them, in its order.
	Row   uint32            // Row is the answer with the last page.

	Partial bool // Partial: pages of it are not in the session, or cannot be read.
	Next    bool // Next: the server has another page, which was not requested.
}

// LastListing puts together the last list that the results of a method have, such as
// tools/list, under the name of their member; nil where there is none. It reads the pages
// of that list only. Connections for which skip holds do not count; nil skips none.
func LastListing(log Log, s *session.Snapshot, method, member string, skip func(conn int) bool) *Listing {
	var last *Listing
	var pages [][]json.RawMessage // pages are the last one first.
	partial, begun := false, false
	for i := s.Len() - 1; i >= 0 && !begun; i-- {
		row := s.Row(uint32(i))
		if row.Kind != session.RowResult || row.Stream != session.S2C || s.Name(row.Method) != method || row.Pair == session.NoRow || skip != nil && skip(int(row.Conn)) {
			continue
		}
		asked, known := handshakePart(log, s.Row(row.Pair), "params")
		result, read := handshakePart(log, row, "result")
		if !known || !read {
			partial = true
			continue
		}
		if last == nil {
			last = &Listing{Row: uint32(i), Next: TextOf(result["nextCursor"]) != ""}
		}
		pages = append(pages, Elements(result[member]))
		begun = TextOf(asked["cursor"]) == ""
	}
	if last == nil {
		return nil
	}
	last.Partial = partial || !begun
	for _, page := range slices.Backward(pages) {
		last.Items = append(last.Items, page...)
	}
	return last
}

// part reads a member of a row's message, nil where it is not an object; ok is false for
// a message that cannot be read.
func handshakePart(log Log, row session.Row, member string) (_ map[string]json.RawMessage, ok bool) {
	if row.Len > maxListing {
		return nil, false
	}
	body, err := ReadFrame(log, row, 0, maxListing)
	message := Members(body)
	return Members(message[member]), err == nil && message != nil
}
