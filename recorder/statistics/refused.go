package statistics

import (
	"cmp"
	"fmt"
	"strings"

	"wiretea/session"
	"wiretea/session/check/compat"
	"wiretea/session/mcp"
	"wiretea/session/mcp/shape"
	"wiretea/session/text"
)

// mostNamed is how many tools are named in a sentence.
const mostNamed = 3

// RefusedWords say which clients were measured to refuse a whole list because of some of its
// tools, and how many those are. conn is the connection of the list. If conn is nil or its
// revision is unknown, RefusedWords returns nil.
func RefusedWords(tools []Definition, conn *session.Conn) (words []string) {
	if conn == nil {
		return nil
	}
	v := conn.Version
	is := shape.Named("Tool", v)
	if is == nil {
		return nil
	}
	refused := map[string][]string{} // refused are the names of tools, by client.
	var judge shape.Judge
	for _, tool := range tools {
		by := map[string]bool{}
		for _, f := range judge.Faults(is, tool.Raw) {
			for _, client := range compat.Refuse(v.Era(), mcp.ToolsList, &f) {
				by[client] = true
			}
		}
		for client := range by {
			refused[client] = append(refused[client], tool.Name)
		}
	}
	clients := map[string][]string{} // clients are those that refuse the same tools, by what is said of them.
	var order []string
	for _, known := range mcp.Clients() {
		names := refused[known.Name]
		if len(names) == 0 {
			continue
		}
		what := refusedWhat(names, len(tools))
		if clients[what] == nil {
			order = append(order, what)
		}
		clients[what] = append(clients[what], known.Name)
	}
	for _, what := range order {
		verb := "refuse"
		if len(clients[what]) == 1 {
			verb = "refuses"
		}
		words = append(words, fmt.Sprintf("%s %s the whole list because of %s", strings.Join(clients[what], ", "), verb, what))
	}
	return words
}

// refusedWhat names some of all tools: 2 of 17 tools: add, echo.
func refusedWhat(names []string, all int) string {
	what := fmt.Sprintf("%d of %s: ", len(names), text.Plural(int64(all), "tool"))
	for i, name := range names[:min(len(names), mostNamed)] {
		if i > 0 {
			what += ", "
		}
		what += cmp.Or(text.Visible([]byte(name), 60), "one without a name")
	}
	if more := len(names) - mostNamed; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	return what
}
