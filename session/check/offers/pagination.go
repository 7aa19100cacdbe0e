package offers

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Pagination = rule.Family{
	Name:  "pagination",
	Title: "Lists and their pages",
	Rules: []*rule.Rule{nullNextCursor, emptyNextCursor, CursorLoop, cursorNotIssued, itemOnTwoPages, listChangedLoop},
	New:   func() session.Checker { return &pagesConn{} },
}

var nullNextCursor = &rule.Rule{ID: "null-next-cursor", Alone: true, Severity: session.Error}
var CursorLoop = &rule.Rule{ID: "cursor-loop", Severity: session.Warning}
var emptyNextCursor = &rule.Rule{ID: "empty-next-cursor", Alone: true, Severity: session.Info, Until: mcp.V4}
var cursorNotIssued = &rule.Rule{ID: "cursor-not-issued", Severity: session.Warning}
var itemOnTwoPages = &rule.Rule{ID: "item-on-two-pages", Severity: session.Warning, NeedsAll: true}
var listChangedLoop = &rule.Rule{ID: "list-changed-loop", Severity: session.Warning, Fault: rule.Server}
