package check

import "wiretea/session/check/rule"

// A Rule is one entry of the catalogue.
type Rule = rule.Rule

// The sides that may be at fault.
const (
	Server = rule.Server
	Nobody = rule.Nobody
)
