package check

import "wiretea/session/check/rule"

// A Rule is one entry of the catalogue.
type Rule = rule.Rule

// Who must change code, where the rule alone tells.
const (
	Sender = rule.Sender
	Client = rule.Client
	Server = rule.Server
	Nobody = rule.Nobody
)
