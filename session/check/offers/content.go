package offers

import (
	"wiretea/session"
	"wiretea/session/check/rule"
)

var Content = rule.Family{
	Name:  "content",
	Title: "Members, lists and content",
	Rules: []*rule.Rule{nullMember, invalidMember, listInvalid, missingContent, contentBlockInvalid, badBase64},
	New:   func() session.Checker { return &shapesConn{} },
}

var listInvalid = &rule.Rule{ID: "list-invalid", Alone: true, Severity: session.Error, Fault: rule.Server, NeedsAll: true}
var missingContent = &rule.Rule{ID: "missing-content", Alone: true, Severity: session.Error, Fault: rule.Server, NeedsAll: true}
var contentBlockInvalid = &rule.Rule{ID: "content-block-invalid", Alone: true, Severity: session.Error, Fault: rule.Server}
var badBase64 = &rule.Rule{ID: "bad-base64", Alone: true, Severity: session.Error, Fault: rule.Server}
