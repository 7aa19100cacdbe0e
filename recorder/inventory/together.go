package inventory

import (
	"slices"
	"time"
)

// oneStart is the longest time between two servers of one client process of which the first
// had ended when the second began. Later the parent's id may be that of another process.
const oneStart = time.Minute

// Together returns the sessions of the servers of the client process that a session is of, by
// their beginning: those with the same parent process of which each began while another went
// on, or within a minute of that. It returns nil where the session is the only one, or its
// parent is not known.
func (i *Inventory) Together(of *Session) []Session {
	if of.Parent <= 1 || of.Start.IsZero() || of.Fault != "" {
		return nil
	}
	var all []Session
	for _, list := range [][]Session{i.Live, i.Recordings} {
		for _, s := range list {
			if s.Parent == of.Parent && s.Mode == of.Mode && !s.Start.IsZero() && s.Fault == "" {
				all = append(all, s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Session) int { return a.Start.Compare(b.Start) })
	var group []Session
	var until time.Time // until is when the last of the group ended.
	mine := false
	for _, s := range all {
		if len(group) > 0 && s.Start.After(until.Add(oneStart)) {
			if mine {
				break
			}
			group, until = nil, time.Time{}
		}
		end := s.Start.Add(s.Length)
		if i.IsLive(&s) {
			end = all[len(all)-1].Start // It goes on.
		}
		if end.After(until) {
			until = end
		}
		group = append(group, s)
		mine = mine || s.Path == of.Path
	}
	if len(group) < 2 || !mine {
		return nil
	}
	return group
}

// IsLive reports whether a session is recorded now.
func (i *Inventory) IsLive(s *Session) bool {
	return slices.ContainsFunc(i.Live, func(l Session) bool { return l.Path == s.Path })
}
