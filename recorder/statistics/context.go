package statistics

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/session/text"
)

// A Context is what of a session fills the context of a model.
type Context struct {
	Tools, Prompts, Resources, Templates List

	// Instructions are the server's, as bytes of text; 0 = it has none.
	Instructions int64

	// Client says what the client has not done with the tools; see ClientWords.
	Client []string

	// Refused says which clients refuse the list because of some of its tools; see RefusedWords.
	Refused []string

	// Ours: the client is wiretea, which calls only what it is told to.
	Ours bool
}

// A List is what a server listed of a kind, what costs most first.
type List struct {
	Items  []Definition
	Bytes  int64
	Tokens int64

	Row     uint32 // Row is the answer with its last page, session.NoRow where nothing was listed.
	Partial bool   // Partial: it is not known to be whole.
}

// Read measures the last lists of a session, and what was called. Connections for which
// skip holds do not count; nil skips none.
func ReadContext(log recorder.Log, s *session.Snapshot, skip func(conn int) bool) *Context {
	uses := (*Uses)(nil).Count(s, skip)
	list := func(list, member, use string, measure func(json.RawMessage) Definition) List {
		return newList(recorder.LastListing(log, s, list, member, skip), func(raw json.RawMessage) Definition {
			d := measure(raw)
			d.Use = uses.Of(use, d.Name)
			return d
		})
	}
	named := func(name string) func(json.RawMessage) Definition {
		return func(raw json.RawMessage) Definition { return OtherDefinition(raw, name) }
	}
	c := &Context{
		Client:       ClientWords(log, s),
		Ours:         s.Header() != nil && s.Header().Mode == "run",
		Tools:        list(mcp.ToolsList, "tools", mcp.ToolsCall, DefinitionOf),
		Prompts:      list(mcp.PromptsList, "prompts", mcp.PromptsGet, named("name")),
		Resources:    list(mcp.ResourcesList, "resources", mcp.ResourcesRead, named("uri")),
		Templates:    list(mcp.ResourcesTemplatesList, "resourceTemplates", "", named("uriTemplate")),
		Instructions: int64(len(recorder.ReadHandshake(log, s, s.Len()).Instructions)),
	}
	if c.Tools.Listed() {
		c.Refused = RefusedWords(c.Tools.Items, s.Conn(int(s.Row(c.Tools.Row).Conn)))
	}
	return c
}

// ToolsOf measures a list of tools that is at hand.
func ToolsOf(tools []json.RawMessage) List {
	return newList(&recorder.Listing{Items: tools}, DefinitionOf)
}

func newList(from *recorder.Listing, measure func(json.RawMessage) Definition) List {
	l := List{Row: session.NoRow}
	if from == nil {
		return l
	}
	l.Row, l.Partial = from.Row, from.Partial || from.Next
	for _, raw := range from.Items {
		d := measure(raw)
		l.Items = append(l.Items, d)
		l.Bytes += d.Bytes
		l.Tokens += d.Tokens
	}
	slices.SortStableFunc(l.Items, func(a, b Definition) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return l
}

// Listed reports whether a list was given.
func (l *List) Listed() bool { return l.Row != session.NoRow }

// Called is how many of the items were called.
func (l *List) Called() (n int) {
	for i := range l.Items {
		if l.Items[i].Use.Calls > 0 {
			n++
		}
	}
	return n
}

// Tokens is what is a part of every conversation: the tools and the instructions.
func (c *Context) Tokens() int64 { return c.Tools.Tokens + Tokens(c.Instructions) }

// What names what is a part of every conversation: 17 tools and the server's instructions.
func (c *Context) What() string {
	if len(c.Tools.Items) == 0 && c.Instructions > 0 {
		return "the server's instructions"
	}
	what := text.Plural(int64(len(c.Tools.Items)), "tool")
	if c.Tools.Partial {
		what = "at least " + what
	}
	if c.Instructions > 0 {
		what += " and the server's instructions"
	}
	return what
}

// Sentence says what the tools cost and how many of them a client has called; empty where
// there are none.
func (c *Context) Sentence() string {
	if len(c.Tools.Items) == 0 {
		return ""
	}
	verb := "cost"
	if len(c.Tools.Items) == 1 && c.Instructions == 0 {
		verb = "costs"
	}
	words := fmt.Sprintf("%s %s about %s tokens in every conversation", c.What(), verb, AboutTokens(c.Tokens()))
	switch n := c.Tools.Called(); {
	case n == 0 && c.Ours:
		return words
	case n == 0:
		return words + "; none was called"
	case n == 1:
		return words + "; 1 was called"
	default:
		return words + fmt.Sprintf("; %d were called", n)
	}
}

// Largest names what costs most of what is a part of every conversation, at most n tools and
// the instructions among them, with their tokens.
func (c *Context) Largest(n int) string {
	var words []string
	instructions := Tokens(c.Instructions)
	for i := range c.Tools.Items {
		d := &c.Tools.Items[i]
		if instructions > d.Tokens {
			words, instructions = append(words, "the instructions "+AboutTokens(instructions)), 0
		}
		if len(words) >= n {
			break
		}
		words = append(words, text.Visible([]byte(d.Name), 60)+" "+AboutTokens(d.Tokens))
	}
	if instructions > 0 && len(words) < n {
		words = append(words, "the instructions "+AboutTokens(instructions))
	}
	return strings.Join(words, ", ")
}

// About writes an estimate with two digits that count: 4,300.
func AboutTokens(n int64) string {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return text.Count((n + unit/2) / unit * unit)
}
