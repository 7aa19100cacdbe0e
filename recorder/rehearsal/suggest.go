package rehearsal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/decide/policy"
	"wiretea/session/filter"
)

// used is a method that a session has used in one direction.
type used struct {
	stream  session.Stream
	kind    session.RowKind
	method  string
	targets []string // targets are the tools, prompts and URIs, sorted; none for a method that has none.
}

// Suggest writes the least policy that lets the requests and notifications of a session
// pass: everything else is denied. Those of a batch are not told apart: the second return
// value counts the batches, which need rules of their own.
func Suggest(s *session.Snapshot) (text string, batches int) {
	var all []*used
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		if row.Kind == session.RowBatch && row.Way != session.WayOut {
			batches++
		}
		method := s.Name(row.Method)
		if row.Kind != session.RowRequest && row.Kind != session.RowNotification || row.Way == session.WayOut || slices.Contains(policy.Exempt(), method) {
			continue
		}
		at := slices.IndexFunc(all, func(u *used) bool { return u.stream == row.Stream && u.kind == row.Kind && u.method == method })
		if at < 0 {
			at = len(all)
			all = append(all, &used{stream: row.Stream, kind: row.Kind, method: method})
		}
		if target := s.Name(row.Target); target != "" {
			if i, known := slices.BinarySearch(all[at].targets, target); !known {
				all[at].targets = slices.Insert(all[at].targets, i, target)
			}
		}
	}
	var b strings.Builder
	b.WriteString("# The least that the recorded session needs: everything else is denied.\ndefault = \"deny\"\non_error = \"closed\"\n")
	for _, u := range all {
		fmt.Fprintf(&b, "\n[[rule]]\nfilter = %s\naction = \"allow\"\n", policy.Quote(u.filter()))
	}
	return b.String(), batches
}

// filter is the filter that matches what was used, and nothing else.
func (u *used) filter() string {
	kind := "request"
	if u.kind == session.RowNotification {
		kind = "notification"
	}
	text := fmt.Sprintf("d:%s is:%s m~%s", u.stream, kind, exactly(u.method))
	if len(u.targets) > 0 {
		text += " t~" + exactly(u.targets...)
	}
	return text
}

// exactly is a value of the filter language: a regular expression for any of some texts, and
// nothing else.
func exactly(texts ...string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = regexp.QuoteMeta(t)
	}
	text := "^(" + strings.Join(quoted, "|") + ")$"
	if len(texts) == 1 {
		text = "^" + quoted[0] + "$"
	}
	return filter.Quote(text)
}
