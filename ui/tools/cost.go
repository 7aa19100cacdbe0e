package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/statistics"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// An order is what the items of a section are sorted by.
type order uint8

const (
	byServer order = iota // byServer: as the server lists them.
	byCost
	byCalls
	numOrders
)

var orderWords = [numOrders]string{byServer: "in the server's order", byCost: "by cost", byCalls: "by calls"}

// uses are the methods by which items are used.
var uses = [numKinds]string{tools: mcp.ToolsCall, resources: mcp.ResourcesRead, prompts: mcp.PromptsGet}

// mostMembers is how many members of a definition are named.
const mostMembers = 3

// measured takes what a definition takes of a model's context.
func (it *item) measured(k kind) {
	name := "name"
	switch k {
	case resources:
		name = "uri"
	case templates:
		name = "uriTemplate"
	}
	raw := it.tabs[len(it.tabs)-1].raw
	if k == tools {
		it.cost = statistics.DefinitionOf(raw)
	} else {
		it.cost = statistics.OtherDefinition(raw, name)
	}
}

// aboutCost says what an item takes of a model's context, and how it was used.
func (p *Pane) aboutCost(c *pane.Context, k kind, it *item) []line {
	if !k.isList() {
		return nil
	}
	when := ""
	if k == tools {
		when = " in every conversation"
	}
	words := fmt.Sprintf("≈ %s%s, %s in the list", text.Plural(it.cost.Tokens, "token"), when, text.Size(it.cost.Bytes))
	var members []string
	for _, m := range it.cost.Largest(mostMembers) {
		members = append(members, text.Visible([]byte(m.Path), 60)+" "+text.Size(m.Bytes))
	}
	lines := []line{{}, {plain, words}}
	if len(members) > 1 {
		lines = append(lines, line{dim, "the largest members: " + strings.Join(members, ", ")})
	}
	if words := p.useWords(c, k, it); words != "" {
		lines = append(lines, line{plain, words})
	}
	return lines
}

// use is what was called of an item.
func (p *Pane) use(k kind, it *item) statistics.Use { return p.uses.Of(uses[k], it.cost.Name) }

// useWords say how often an item was used, and how large its results were; empty for one
// that cannot be used by a request.
func (p *Pane) useWords(c *pane.Context, k kind, it *item) string {
	if uses[k] == "" || p.uses == nil {
		return ""
	}
	u := p.use(k, it)
	if u.Calls == 0 {
		return "not used in this session"
	}
	words := "used " + times(u.Calls)
	if u.Bytes > 0 {
		words += fmt.Sprintf("; results %s, at most ≈ %s tokens; the largest %s, #%d",
			text.Size(u.Bytes), statistics.AboutTokens(u.Tokens()), text.Size(u.Largest), c.Snap.Row(u.Row).N)
	}
	return words
}

// times says how often: once, 3 times.
func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return text.Count(n) + " times"
}

// tokens are what the items of a section cost.
func (s *section) tokens() (n int64) {
	for i := range s.items {
		n += s.items[i].cost.Tokens
	}
	return n
}

// costWords say what the tools take of a model's context, and how many of them were called.
func (p *Pane) costWords() []line {
	s := &p.got.sections[tools]
	called := 0
	for i := range s.items {
		if p.use(tools, &s.items[i]).Calls > 0 {
			called++
		}
	}
	if len(s.items) == 0 {
		return nil
	}
	words := "they take about " + statistics.AboutTokens(s.tokens()) + " tokens of a model's context in every conversation"
	if p.uses != nil {
		words += fmt.Sprintf("; %d of %d were called in this session", called, len(s.items))
	}
	lines := []line{{plain, words}}
	if shake := p.got.shake; shake != nil && shake.Instructions != "" {
		lines = append(lines, line{dim, "the server's instructions: about " + statistics.AboutTokens(statistics.Tokens(int64(len(shake.Instructions)))) + " more"})
	}
	return append(lines, line{dim, "a token for every four bytes of name, description and input schema: an estimate, seldom more than a fifth off"})
}

// countUses counts what was called since the last time.
func (p *Pane) countUses(c *pane.Context) tea.Cmd {
	if p.counting || p.uses != nil && p.uses.Rows() == c.Snap.Len() {
		return nil
	}
	p.counting = true
	snap, log, before := c.Snap, c.Log, p.uses
	return pane.Work(p, func() pane.Then {
		uses, client := before.Count(snap, nil), statistics.ClientWords(log, snap)
		return func(*pane.Context) tea.Cmd {
			p.counting, p.uses, p.client = false, uses, client
			if p.order == byCalls {
				p.arrange()
			}
			return nil
		}
	})
}

// turnOrder sorts the items by something else.
func (p *Pane) turnOrder() tea.Cmd {
	p.order = (p.order + 1) % numOrders
	p.arrange()
	return pane.Notify("tools, resources and prompts " + orderWords[p.order])
}

// sorted returns the items of a section in the order in which they are shown, as their
// indexes.
func (p *Pane) sorted(k kind) []int {
	s := &p.got.sections[k]
	all := make([]int, len(s.items))
	for i := range all {
		all[i] = i
	}
	if !k.isList() || p.order == byServer {
		return all
	}
	slices.SortStableFunc(all, func(a, b int) int {
		if p.order == byCost {
			return cmp.Compare(s.items[b].cost.Tokens, s.items[a].cost.Tokens)
		}
		return cmp.Compare(p.use(k, &s.items[b]).Calls, p.use(k, &s.items[a]).Calls)
	})
	return all
}
