package policy

import (
	"fmt"

	"wiretea/session"
	"wiretea/session/decide"
	"wiretea/session/filter"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// A listing is a list of things that are used by a request.
type listing struct {
	array  string // array is the member of the result that has the list.
	member string // member names a thing.
	use    string // use is the method of the request that uses it.
}

// listingOf returns the listing that a method answers with.
func listingOf(method string) (listing, bool) {
	switch method {
	case mcp.ToolsList:
		return listing{"tools", "name", mcp.ToolsCall}, true
	case mcp.PromptsList:
		return listing{"prompts", "name", mcp.PromptsGet}, true
	case mcp.ResourcesList:
		return listing{"resources", "uri", mcp.ResourcesRead}, true
	}
	return listing{}, false
}

// withoutDenied leaves out of a list what the client may not use.
func (p *Policy) withoutDenied(m *decide.Message) decide.Decision {
	l, ok := listingOf(m.Method)
	if !ok || m.Stream != session.S2C || m.Kind != session.RowResult {
		return decide.Decision{}
	}
	members, _ := lex.List(m.Result)
	for _, list := range members {
		if list.Name != l.array {
			continue
		}
		kept, hidden := p.allowed(l, list.Value)
		if hidden == 0 {
			return decide.Decision{}
		}
		// The result is a part of the body: both are parts of one text.
		at := cap(m.Body) - cap(m.Result) + list.At
		text := append([]byte(nil), m.Body[:at]...)
		text = append(append(text, kept...), m.Body[at+len(list.Value):]...)
		what := l.array
		if hidden == 1 {
			what = what[:len(what)-1]
		}
		return decide.Decision{Verb: decide.Alter, By: fmt.Sprintf("policy: %d %s hidden", hidden, what), Text: text}
	}
	return decide.Decision{}
}

// allowed returns the list of what may be used, as it is written, and how many are left out.
func (p *Policy) allowed(l listing, list []byte) (kept []byte, hidden int) {
	kept = append(kept, '[')
	for _, item := range lex.Items(list) {
		name := lex.Unquote(lex.Get(item, l.member))
		use := filter.Passing{Stream: session.C2S, Kind: session.RowRequest, Method: l.use, Target: name}
		if action, _ := p.Judge(&use); action == Deny && name != "" {
			hidden++
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, item...)
	}
	return append(kept, ']'), hidden
}
