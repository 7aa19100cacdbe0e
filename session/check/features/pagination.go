package features

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

// paginationRefs are the references for pagination.
var paginationRefs = []rule.Ref{{Page: "server/utilities/pagination", Anchor: "pagination-model"}}

var nullNextCursor = &rule.Rule{
	ID:       "null-next-cursor",
	Alone:    true,
	Severity: session.Error,
	Title:    `list ends with "nextCursor":null`,
	Explain: "A cursor is a string, and the last page of a list has none. The TypeScript SDKs validate the type and reject the whole result, so the server " +
		"appears to have no tools; other SDKs accept null as the end. The usual cause is a serializer that writes unset fields.",
	Hint: "omit nextCursor on the last page; configure the serializer to omit unset fields",
	Refs: paginationRefs,
}

var CursorLoop = &rule.Rule{
	ID: "cursor-loop", Severity: session.Warning,
	Title: "listing repeats a cursor or a page, or does not end",
	Explain: "A client requests page after page until one has no nextCursor. If a page has a cursor that an earlier page of the same listing had, the " +
		"listing loops, and a client that does not detect this continues forever. A page with all the items of an earlier one, and another nextCursor, " +
		"shows that the server does not use the cursor; a page of one item must come three times. Requesting a page or the whole list again is not a " +
		"loop. A listing that continues after 1,000 pages has severity info: it may end, but no client waits for it.",
	Hint: "let each cursor encode the start of the next page, and omit it on the last page",
	Refs: paginationRefs,
}

var emptyNextCursor = &rule.Rule{
	ID:       "empty-next-cursor",
	Alone:    true,
	Severity: session.Info,
	Until:    mcp.V4,
	Title:    "list ends with an empty nextCursor",
	Explain: "The last page of a list has no nextCursor. Some clients accept the empty string as the end, others request the page of that cursor and " +
		"receive the list from its beginning again and again. From 2026-07-28 on, the empty string is an ordinary cursor.",
	Hint: "omit nextCursor on the last page",
	Refs: paginationRefs,
}

var cursorNotIssued = &rule.Rule{
	ID: "cursor-not-issued", Severity: session.Warning,
	Title: "request with a cursor that the server never returned",
	Explain: "Cursors are opaque: they are sent back unchanged, for the list that returned them, and do not outlive the connection. A server answers any " +
		"other cursor with -32602, or with the wrong page. From 2026-07-28 on, a cursor may come from another connection, which has severity info. " +
		"Requests composed by a user are not reported.",
	Hint: "send the nextCursor of the last result unchanged; restart the listing after a restart",
	Refs: []rule.Ref{{Page: "server/utilities/pagination", Anchor: "implementation-guidelines"}},
}

var itemOnTwoPages = &rule.Rule{
	ID: "item-on-two-pages", Severity: session.Warning,
	Title: "item of an earlier page of a listing comes again",
	Explain: "The pages of one listing overlap: an item comes again, unchanged, on a later page. Clients show it twice, and model APIs reject tools with the " +
		"same name twice. The cursor is often an offset into a list that is sorted anew, or that changes between two requests, and then other items may be on no page. Lists of " +
		"tasks, and lists that the server reported as changed between the pages, are not judged.",
	Hint: "keep the order of the list fixed, and let the cursor name the last item of the page instead of an offset",
	Refs: []rule.Ref{{Page: "server/utilities/pagination", Anchor: "implementation-guidelines"}},
}

var listChangedLoop = &rule.Rule{
	ID: "list-changed-loop", Severity: session.Warning, Fault: rule.Server,
	Title: "server reports again and again that a list has changed, and it has not",
	Explain: "Five times within a minute the server sent list_changed, the client listed again, and the list was the same as before. Clients request the " +
		"whole list after each notification, so the two sides may continue forever. The usual cause is a server that registers its tools anew " +
		"whenever they are listed. For resources, the templates must be the same too.",
	Hint: "send list_changed only if the list differs from the last one; do not register anything while a list is requested",
	Refs: []rule.Ref{{Page: "server/tools", Anchor: "capabilities"}},
}
