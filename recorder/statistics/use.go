package statistics

import (
	"maps"

	"wiretea/session"
	"wiretea/session/mcp"
)

// A Use says how often something was called, and how large its results were.
type Use struct {
	Calls   int64
	Bytes   int64  // Bytes are those of the answers' messages.
	Largest int64  // Largest is the longest of them,
	Row     uint32 // and Row its row; it has no meaning without calls that were answered.
}

// Tokens is how many tokens the results take at most, by estimate: images are fewer, and
// of text that is repeated as structured content a client leaves out one.
func (u *Use) Tokens() int64 { return Tokens(u.Bytes) }

// used are the methods whose results a model gets.
func used(method string) bool {
	return method == mcp.ToolsCall || method == mcp.PromptsGet || method == mcp.ResourcesRead
}

type useKey struct{ method, target string }

// Uses are what clients have called in a session so far. A Uses never changes.
type Uses struct {
	rows uint32 // rows are how many were counted.
	by   map[useKey]Use
}

// Of returns how often a tool was called, a prompt got, or a resource read; the method
// says which of them.
func (u *Uses) Of(method, target string) Use {
	if u == nil {
		return Use{}
	}
	return u.by[useKey{method, target}]
}

// Rows is how many rows were counted. Where the session has others, Count counts them.
func (u *Uses) Rows() int {
	if u == nil {
		return 0
	}
	return int(u.rows)
}

// Count returns the uses up to the end of a session that u has counted a part of. A nil u
// has counted nothing. Of a session with fewer rows everything is counted again.
// Connections for which skip holds do not count; nil skips none.
func (u *Uses) Count(s *session.Snapshot, skip func(conn int) bool) *Uses {
	next := &Uses{rows: uint32(s.Len()), by: map[useKey]Use{}}
	from := uint32(0)
	if u != nil && u.rows <= next.rows {
		from, next.by = u.rows, maps.Clone(u.by)
	}
	for i := from; i < next.rows; i++ {
		row := s.Row(i)
		if row.Kind != session.RowRequest && row.Kind != session.RowResult && row.Kind != session.RowError || skip != nil && skip(int(row.Conn)) {
			continue
		}
		method := s.Name(row.Method)
		if !used(method) || (row.Stream == session.C2S) != (row.Kind == session.RowRequest) {
			continue
		}
		k := useKey{method, s.Name(row.Target)}
		use := next.by[k]
		if row.Kind == session.RowRequest {
			if row.Substitutes() {
				continue
			}
			use.Calls++
		} else {
			use.Bytes += int64(row.Len)
			if int64(row.Len) > use.Largest {
				use.Largest, use.Row = int64(row.Len), i
			}
		}
		next.by[k] = use
	}
	return next
}
