package call

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"wiretea/recorder/verdict/account"
	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
	"wiretea/ui/composer/arguments"
)

// A callKind is how the words of call name their request.
type callKind uint8

const (
	callMethod   callKind = iota // callMethod is a method with parameters, or a notification.
	callMessage                  // callMessage is a whole message, right or wrong.
	callList                     // callList is all pages of a list.
	callTool                     // callTool is a tool with arguments that its schema types.
	callPrompt                   // callPrompt is a prompt with arguments, which are texts.
	callGreeting                 // callGreeting is the handshake's own request.
)

// A callRequest is what the words of call ask for.
type callRequest struct {
	kind   callKind
	method string
	params json.RawMessage // params are those of callMethod, and the message of callMessage; nil = none.
	key    string          // key is the member of the result that holds the items of callList.
	name   string          // name is the tool's, the prompt's or the resource's.
	whole  json.RawMessage // whole are all arguments as one object; nil = given by args.
	args   []string        // args are name=value words.
	open   bool            // open: it is a subscription that was acknowledged.
}

// shortForms are the words that stand for a method.
var shortForms = []struct {
	word, method string
	kind         callKind
	key          string // key is the member of the result that holds a list's items.
	wants        string // wants is what must be behind the word; empty = nothing may.
	says         string
}{
	{"tools", "tools/list", callList, "tools", "", "list the tools, all pages"},
	{"resources", "resources/list", callList, "resources", "", "list the resources, all pages"},
	{"templates", "resources/templates/list", callList, "resourceTemplates", "", "list the resource templates, all pages"},
	{"prompts", "prompts/list", callList, "prompts", "", "list the prompts, all pages"},
	{"tool", "tools/call", callTool, "", "NAME", "call a tool: NAME name=value…"},
	{"prompt", "prompts/get", callPrompt, "", "NAME", "get a prompt: NAME name=value…"},
	{"resource", "resources/read", callMethod, "", "URI", "read a resource: URI"},
}

// parseRequest reads the words before --. in is standard input, for -.
func parseRequest(words []string, in io.Reader) (*callRequest, error) {
	for i := range shortForms {
		if words[0] == shortForms[i].word {
			return parseShortForm(i, words[1:], in)
		}
	}
	r := &callRequest{method: words[0]}
	if len(words) > 2 {
		return nil, term.Usage(cmp.Or(formMeant(r.method), "quote the parameters: wiretea call "+text.ShellWord(r.method)+` '{"name":"echo"}' -- CMD`), "too many words before --: %q", words[2])
	}
	if len(words) == 2 {
		params, err := wholeJSON(words[1], in)
		if meant := formMeant(r.method); err != nil && meant != "" {
			return nil, term.Usage(meant, "%w", err)
		}
		if err != nil {
			return nil, err
		}
		r.params = params
	}
	return r, r.sort(words)
}

// formMeant names the short form that a word was probably meant for; empty where it
// is written like a method, or a message.
func formMeant(word string) string {
	if _, known := mcp.Lookup(word); known || strings.ContainsAny(word, "/{[") {
		return ""
	}
	return text.Nearest(word, formWords(), "if "+text.Visible([]byte(word), 0)+" is a tool: wiretea call tool "+text.ShellWord(word)+" name=value -- CMD")
}

// formWords are the words that short forms begin with.
func formWords() []string {
	var words []string
	for i := range shortForms {
		words = append(words, shortForms[i].word)
	}
	return words
}

// sort tells the kinds of methods apart.
func (r *callRequest) sort(words []string) error {
	switch {
	case r.method == "initialize" || r.method == "server/discover":
		if r.params == nil {
			r.kind = callGreeting
		}
		return nil
	case strings.HasPrefix(r.method, "{") || strings.HasPrefix(r.method, "["):
		if len(words) > 1 {
			return term.Usage("a whole message contains its parameters", "parameters given beside a whole message")
		}
		r.kind, r.method, r.params = callMessage, "", json.RawMessage(words[0])
		return nil
	}
	if _, _, err := client.ParseLine(r.method); err != nil {
		return term.Usage("wiretea call tools/list -- CMD", "%w", err)
	}
	return nil
}

// parseShortForm reads what follows the word of a short form.
func parseShortForm(form int, rest []string, in io.Reader) (*callRequest, error) {
	f := &shortForms[form]
	r := &callRequest{kind: f.kind, method: f.method, key: f.key}
	switch {
	case f.wants == "" && len(rest) > 0:
		return nil, term.Usage(fmt.Sprintf("wiretea call %s PARAMS -- CMD gives parameters", f.method), "%s takes no arguments, got %q", f.word, rest[0])
	case f.wants == "":
		return r, nil
	case len(rest) == 0 || rest[0] == "":
		return nil, term.Usage(fmt.Sprintf("wiretea call %s %s -- CMD", f.word, f.wants), "which %s?", f.word)
	}
	r.name, rest = rest[0], rest[1:]
	switch {
	case f.wants == "URI" && len(rest) > 0:
		return nil, term.Usage("wiretea call resource URI -- CMD", "resource takes only a URI, got %q", rest[0])
	case f.wants == "URI":
		r.params = lex.AppendObject(nil, lex.Member{Name: "uri", Value: quoted(r.name)})
	case len(rest) == 1 && (rest[0] == "-" || strings.HasPrefix(rest[0], "{") || strings.HasPrefix(rest[0], "@")):
		whole, err := wholeJSON(rest[0], in)
		if err != nil {
			return nil, err
		}
		r.whole = whole
	default:
		r.args = rest
	}
	return r, nil
}

// readUpTo reads a file, which may be a pipe or a device, or the beginning of a longer one.
func readUpTo(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// wholeJSON reads JSON that is given as it is, as @FILE, or as - for in.
func wholeJSON(word string, in io.Reader) (json.RawMessage, error) {
	text, from := []byte(word), "the parameters"
	var err error
	switch file, named := strings.CutPrefix(word, "@"); {
	case word == "-":
		from = "standard input"
		text, err = io.ReadAll(io.LimitReader(in, client.LongestLine+1))
	case named:
		from = file
		text, err = readUpTo(file, client.LongestLine+1)
	}
	if err != nil {
		return nil, term.Usage("parameters are JSON, @FILE, or - for standard input", "reading the parameters: %w", err)
	}
	if len(text) > client.LongestLine {
		return nil, term.Usage("", "%s: longer than 64 MiB", from)
	}
	if strings.TrimSpace(string(text)) == "" {
		return nil, term.Usage(`as in '{"name":"echo"}'`, "%s: empty, want JSON", from)
	}
	var value json.RawMessage
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, term.Usage(`a JSON object in single quotes, as in '{"name":"echo"}', or @FILE, or -`, "%s: not JSON: %s", from, whereJSONBreaks(text, err))
	}
	return value, nil
}

// whereJSONBreaks says what is wrong with a text that is not JSON, and where.
func whereJSONBreaks(text []byte, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err.Error()
	}
	at := min(max(int(syntax.Offset)-1, 0), len(text))
	near := string(text[max(at-12, 0):min(at+12, len(text))])
	return fmt.Sprintf("%v, at byte %d, near %q", err, syntax.Offset, near)
}

func quoted(text string) []byte { return lex.AppendQuote(nil, text) }

// compose makes the parameters of a tool or a prompt from what was typed, with
// what the server says of it.
func (c *caller) compose(ctx context.Context, peer *client.Client) error {
	r := c.req
	s, faults, err := c.lookUp(ctx, peer)
	if err != nil {
		return err
	}
	whole := r.whole
	if whole == nil {
		var more []string
		whole, more = arguments.FromWords(r.args, s)
		faults = append(faults, more...)
	} else {
		faults = append(faults, arguments.Misfits(whole, s)...)
	}
	if len(faults) > 0 && !c.o.insist {
		return &account.Unmatched{What: r.title(), Faults: faults}
	}
	for _, fault := range faults {
		fmt.Fprintf(c.errw, "wiretea: %s, sent anyway\n", term.Visible(fault))
	}
	members := []lex.Member{{Name: "name", Value: quoted(r.name)}, {Name: "arguments", Value: whole}}
	if r.kind == callPrompt && len(r.args) == 0 && r.whole == nil {
		members = members[:1]
	}
	r.params = lex.AppendObject(nil, members...)
	return nil
}

// lookUp asks the server what the tool or the prompt wants. One that it does not
// list is a fault.
func (c *caller) lookUp(ctx context.Context, peer *client.Client) (arguments.Schema, []string, error) {
	method, noun := "tools/list", "tool"
	if c.req.kind == callPrompt {
		method, noun = "prompts/list", "prompt"
	}
	all, err := peer.List(ctx, method)
	if err != nil && len(all.Items) == 0 {
		var answer *client.RPCError
		if c.o.insist && errors.As(err, &answer) {
			return arguments.Schema{}, nil, nil
		}
		return arguments.Schema{}, nil, fmt.Errorf("reading the schema of the %s: %w", noun, err)
	}
	var names []string
	for _, item := range all.Items {
		var it struct {
			Name      string          `json:"name"`
			Schema    json.RawMessage `json:"inputSchema"`
			Execution struct {
				Task string `json:"taskSupport"`
			} `json:"execution"`
		}
		_ = json.Unmarshal(item, &it) // an item without a name is nobody's
		if it.Name != c.req.name {
			names = append(names, it.Name)
			continue
		}
		if c.req.kind == callPrompt {
			return arguments.Read(arguments.PromptSchema(lex.Get(item, "arguments"))), nil, nil
		}
		// [V4] basic/utilities/tasks §Tool-Level Negotiation: the client must.
		server := peer.Server()
		c.o.task = c.o.task || it.Execution.Task == "required" && server.Has("tasks.requests.tools.call")
		var faults []string
		if c.o.task && it.Execution.Task == "forbidden" && server.Era == mcp.Legacy {
			faults = append(faults, "the tool cannot be run as a task: its taskSupport is forbidden; without --task it runs")
		}
		return arguments.Read(it.Schema), faults, nil
	}
	return arguments.Schema{}, []string{fmt.Sprintf("the server lists no %s %q; %s", noun, c.req.name, text.Nearest(c.req.name, names, "it has "+arguments.List(names)))}, nil
}
