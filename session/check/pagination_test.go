package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/session/check/offers"
)

// pagesOf is a conversation with that many pages, each with a cursor of its own.
func pagesOf(t *testing.T, pages int, empty bool) *session.Snapshot {
	t.Helper()
	var b strings.Builder
	params := ""
	for i := range pages {
		fmt.Fprintf(&b, "%dms c2s {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\"%s}\n", 10+2*i, i, params)
		tool := fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, i)
		if empty {
			tool = ""
		}
		fmt.Fprintf(&b, "%dms s2c {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[%s],\"nextCursor\":\"p%d\"}}\n", 11+2*i, i, tool, i)
		params = fmt.Sprintf(`,"params":{"cursor":"p%d"}`, i)
	}
	return analyze(parseConversation(t, b.String()).raw())
}

// endlessPages is how many pages a listing may have before it is reported as endless.
const endlessPages = 1000

// TestEndless holds that a listing which does not end is told of, once, and that
// one with very many pages is not a circle.
func TestEndless(t *testing.T) {
	for _, empty := range []bool{false, true} {
		for pages, want := range map[int]int{endlessPages - 1: 0, endlessPages: 1, 2*endlessPages + 500: 1} {
			var found []session.Finding
			for _, f := range pagesOf(t, pages, empty).Findings() {
				if f.Rule == offers.CursorLoop.ID {
					found = append(found, f)
				}
			}
			if len(found) != want {
				t.Errorf("%d pages bring %d findings: %v", pages, len(found), found)
			}
			for _, f := range found {
				if f.Severity != map[bool]session.Severity{false: session.Info, true: session.Warning}[empty] || f.Fault != session.Server || !strings.Contains(f.Message, "has not ended") {
					t.Errorf("%d pages bring %+v", pages, f)
				}
			}
		}
	}
}

// A pager writes the conversation of a client that lists the tools of a server.
type pager struct {
	strings.Builder
	ms, id int
}

func (p *pager) line(format string, args ...any) {
	p.ms++
	fmt.Fprintf(p, "%dms %s\n", p.ms, fmt.Sprintf(format, args...))
}

// list requests a page and answers it, "" being no cursor.
func (p *pager) list(cursor string, tools []string, next string) {
	params, member := "", ""
	if cursor != "" {
		params = fmt.Sprintf(`,"params":{"cursor":%q}`, cursor)
	}
	if next != "" {
		member = fmt.Sprintf(`,"nextCursor":%q`, next)
	}
	p.id++
	p.line(`c2s {"jsonrpc":"2.0","id":%d,"method":"tools/list"%s}`, p.id, params)
	p.line(`s2c {"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]%s}}`, p.id, strings.Join(tools, ","), member)
}

// findings returns the rules that a conversation brings, each once, in order.
func (p *pager) findings(t *testing.T) string {
	t.Helper()
	var rules []string
	for _, f := range analyze(parseConversation(t, p.String()).raw()).Findings() {
		rules = append(rules, f.Rule)
	}
	slices.Sort(rules)
	return strings.Join(slices.Compact(rules), " ")
}

// TestPages generates listings of a healthy server, in which pages are requested
// again, listings are given up and lists change with notice, and plants one fault in
// each of them: the fault is found, and nothing else.
func TestPages(t *testing.T) {
	tool := func(i int) string { return fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, i) }
	faults := []string{"", "item-on-two-pages", "cursor-loop", "duplicate-tool-name"}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 12))
		want := faults[seed%uint64(len(faults))]
		p, first := &pager{}, 0
		for range 1 + r.IntN(3) {
			pages := [][]string{}
			for range 2 + r.IntN(5) {
				var page []string
				for range 1 + r.IntN(4) {
					page = append(page, tool(first+len(pages)*10+len(page)))
				}
				pages = append(pages, page)
			}
			last := len(pages) - 1
			switch at := r.IntN(last); want {
			case "item-on-two-pages":
				pages[last] = append(pages[last], pages[at][0])
			case "duplicate-tool-name":
				pages[last] = append(pages[last], strings.Replace(pages[at][0], `,`, `,"description":"another",`, 1))
			case "cursor-loop":
				pages = slices.Insert(pages, at+1, pages[at], pages[at])
			}
			cursor := ""
			for i, page := range pages {
				next := ""
				if i < len(pages)-1 {
					next = fmt.Sprintf("%d-%d", first, i)
				}
				for range 1 + r.IntN(2) {
					p.list(cursor, page, next)
				}
				cursor = next
			}
			if r.IntN(2) == 0 { // The list changes, and the client is in the middle of it.
				p.list("", []string{tool(1)}, "given-up")
				p.line(`s2c {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				if r.IntN(2) == 0 {
					p.list("given-up", []string{tool(1), tool(2)}, "")
				}
				first += 100
			}
		}
		if got := p.findings(t); got != want {
			t.Errorf("seed %d: %q, want %q:\n%s", seed, got, want, p)
		}
	}
}

// TestListChangedLoop generates clients that list after a notification: that of a
// server whose list stays the same brings the finding from five rounds within a
// minute on, and a change in between begins the count anew.
func TestListChangedLoop(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 12))
		p, version, same, want := &pager{}, 0, 0, ""
		tools := func() []string {
			return []string{fmt.Sprintf(`{"name":"t","description":"%d","inputSchema":{"type":"object"}}`, version)}
		}
		p.list("", tools(), "")
		for range 3 + r.IntN(12) {
			if r.IntN(4) == 0 {
				p.list("", tools(), "") // of the client's own accord
			}
			for range 1 + r.IntN(3) {
				p.line(`s2c {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
			if same++; r.IntN(6) == 0 {
				version, same = version+1, 0
			}
			p.ms += r.IntN(9000)
			p.list("", tools(), "")
			if same >= 5 {
				want = "list-changed-loop"
			}
		}
		if got := p.findings(t); got != want {
			t.Errorf("seed %d: %q, want %q:\n%s", seed, got, want, p)
		}
	}
}
