package checkup

import (
	"encoding/json"
	"fmt"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// variable is the first variable of a URI template.
var variable = lazy.Regexp{Text: `\{[+#./;?&]?([A-Za-z0-9_]+)[^}]*\}`}

// completable returns the parameters of a completion: for the first argument of a
// prompt, else for the first variable of a template; nil where no list has either.
func completable(items map[string][]json.RawMessage) json.RawMessage {
	for _, prompt := range items[mcp.PromptsList] {
		name := lex.Get(prompt, "name")
		for _, argument := range lex.Items(lex.Get(prompt, "arguments")) {
			if of := lex.Get(argument, "name"); isText(name) && isText(of) {
				return fmt.Appendf(nil, `{"ref":{"type":"ref/prompt","name":%s},"argument":{"name":%s,"value":""}}`, name, of)
			}
		}
	}
	for _, template := range items[mcp.ResourcesTemplatesList] {
		uri := lex.Get(template, "uriTemplate")
		if found := variable.Get().FindStringSubmatch(lex.Unquote(uri)); found != nil && isText(uri) {
			return fmt.Appendf(nil, `{"ref":{"type":"ref/resource","uri":%s},"argument":{"name":%q,"value":""}}`, uri, found[1])
		}
	}
	return nil
}

// isText reports whether a value is a string.
func isText(value []byte) bool { return jsonrpc.TypeOf(value) == jsonrpc.String }
