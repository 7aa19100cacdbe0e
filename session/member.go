package session

// A merged log has the records of several sessions on one clock. Each session has a letter,
// and an analysis of its own, with its clock, its timers and its checkers: what is found in
// it is what is found in its own log. Rows, names and findings are in one list.

// MaxMembers is how many sessions a merged log has at most.
const MaxMembers = 1 << 12

// memberOf returns the analysis that a record belongs to.
func (a *Analyzer) memberOf(r *Record) *Analyzer {
	if r.In <= 0 || a.header == nil || r.In > min(len(a.header.Members), MaxMembers) {
		return a
	}
	for len(a.members) < r.In {
		cfg := Config{Limits: a.cfg.Limits}
		if a.cfg.Member != nil {
			cfg.Checkers = a.cfg.Member()
		}
		a.members = append(a.members, newAnalyzer(cfg, a.shared, len(a.members)+1))
	}
	return a.members[r.In-1]
}

// ended returns the end of a merged log, or nil until all its sessions have ended.
func (a *Analyzer) ended() *End {
	end := &End{}
	for _, m := range a.members {
		if m.end == nil {
			return nil
		}
		end.Frames, end.Bytes, end.Lost, end.Why = end.Frames+m.end.Frames, end.Bytes+m.end.Bytes, end.Lost+m.end.Lost, m.end.Why
	}
	if len(a.members) < len(a.header.Members) {
		return nil
	}
	return end
}

// first is the number of the session's first connection. In a merged log a session's
// connections have numbers that differ by the number of sessions.
func (a *Analyzer) first() int { return max(1, a.member) }

// latest is the number of the connection that began last; first before there is one.
func (a *Analyzer) latest() int {
	if n := len(a.order); n > 0 {
		return a.order[n-1].ID
	}
	return a.first()
}

// Members returns the names of the sessions of a merged log. It returns none for the log
// of one session, and for a session that Of has taken out.
func (s *Snapshot) Members() []string {
	if s.header == nil || s.only > 0 {
		return nil
	}
	return s.header.Members
}

// Member returns the session of a merged log that a connection belongs to, from 1; 0 where the
// log is that of one session.
func (s *Snapshot) Member(conn int) int {
	if s.header == nil || len(s.header.Members) == 0 || conn <= 0 {
		return 0
	}
	return (conn-1)%len(s.header.Members) + 1
}

// Own is the number that a connection has in its own session's log.
func (s *Snapshot) Own(conn int) int {
	if m := s.Member(conn); m > 0 {
		return (conn-m)/len(s.header.Members) + 1
	}
	return conn
}

// Letter is what the session of a connection is called in a merged log: A, B … Z, AA, AB …;
// empty where the log is that of one session.
func (s *Snapshot) Letter(conn int) string { return Letter(s.Member(conn)) }

// Letter is what a session is called among others, from 1; empty for 0.
func Letter(member int) string {
	if member <= 0 {
		return ""
	}
	return Letter((member-1)/26) + string(rune('A'+(member-1)%26))
}

// HeaderOf returns the header of the session that a connection belongs to; nil before it was
// read.
func (s *Snapshot) HeaderOf(conn int) *Header {
	one := *s
	one.only = s.Member(conn)
	return one.Header()
}

// Of returns the snapshot as that of one session of a merged log: with its header and its
// connections, and the rows and findings of all; see Has.
func (s *Snapshot) Of(member int) *Snapshot {
	one := *s
	one.only, one.conns = member, nil
	for _, c := range s.conns {
		if one.Has(c.ID) {
			one.conns = append(one.conns, c)
		}
	}
	return &one
}

// Has reports whether a connection is one of the session that Of shows, or Of was not called.
func (s *Snapshot) Has(conn int) bool { return s.only == 0 || s.Member(conn) == s.only }
