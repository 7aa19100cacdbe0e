package keys

import (
	"fmt"
	"io"
	"strings"
)

var groupTitles = map[string]string{"move": "Moving", "find": "Finding", "time": "Time", "watch": "Watching", "detail": "Detail", "session": "Session", "hold": "Holding messages", "home": "Home", "compose": "Composing", "layout": "Layout"}

// writeMarkdown writes the page docs/keys.md.
func writeMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Keys\n\nGenerated from the table in `ui/keys`; `go test ./ui/keys -update` writes it anew. On the screen `?` shows the same, searches it and carries it out.\n" +
		"`[keys]` in `config.toml` gives actions other keys: `pair = [\"o\", \"ctrl+g\"]`.\n")
	group := ""
	for i := range Table {
		k := &Table[i]
		if k.Help == "" {
			continue
		}
		if k.Group != group {
			group = k.Group
			fmt.Fprintf(&b, "\n## %s\n\n| keys | action | command | what it does | where |\n| --- | --- | --- | --- | --- |\n", groupTitles[group])
		}
		words := make([]string, len(k.Keys))
		for j, key := range k.Keys {
			words[j] = "`" + strings.ReplaceAll(Word(key), "|", "\\|") + "`"
		}
		name := ""
		if k.Name != "" {
			name = "`:" + k.Name + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", strings.Join(words, " "), k.Action, name, k.Help, k.where())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// where names the panes in which a binding holds.
func (k *Binding) where() string {
	words := make([]string, len(k.Scopes))
	for i, s := range k.Scopes {
		if words[i] = s.String(); s == Panes {
			words[i] = "in every pane"
		}
	}
	return strings.Join(words, ", ")
}
