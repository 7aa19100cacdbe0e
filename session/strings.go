package session

// String returns the state's word in lower case.
func (s State) String() string {
	switch s {
	case Pending:
		return "pending"
	case Answered:
		return "answered"
	case Failed:
		return "failed"
	case Cancelled:
		return "cancelled"
	case Lost:
		return "lost"
	}
	return "?"
}

// String returns the match's word in lower case.
func (m Match) String() string {
	switch m {
	case MatchNone:
		return "none"
	case MatchNew:
		return "new"
	case MatchReused:
		return "reused"
	case MatchClash:
		return "clash"
	case MatchAnswer:
		return "answer"
	case MatchLate:
		return "late"
	case MatchCancelled:
		return "cancelled"
	case MatchDuplicate:
		return "duplicate"
	case MatchType:
		return "type"
	case MatchOrphan:
		return "orphan"
	}
	return "?"
}

// String returns the phase's word in lower case.
func (p Phase) String() string {
	switch p {
	case PhaseNew:
		return "new"
	case PhaseProbing:
		return "probing"
	case PhaseInitialize:
		return "initialize"
	case PhaseLegacy:
		return "legacy"
	case PhaseModern:
		return "modern"
	}
	return "?"
}
