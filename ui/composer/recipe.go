package composer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/ui/composer/form"
	"wiretea/ui/pane"
)

// A recipe says what is composed: a message, and which part of it is filled in.
type recipe struct {
	method string
	name   string // name is the tool's, the prompt's, the resource's or the template's; empty = none.
	about  string // about describes it, in the server's words.

	schema []byte   // schema is a JSON schema of the values; nil = none is known.
	params []byte   // params are all parameters; nil = none.
	path   []string // path leads to the values within params; empty = they are params.
	uri    string   // uri is a URI template that the values fill in; empty = they are sent as they are.

	text  string // text is a whole message as it was typed, empty = there is none;
	bytes bool   // bytes: it is the notation of any bytes.

	task pane.Tasking
	note string // note is what to know of the values, empty = nothing.
	of   uint32 // of is the number of the frame that it was made of, 0 = none,
	row  uint32 // and row is the frame's row.
	stay bool   // stay: the composer stays open after sending.
}

// newID stands for the id in a message that is composed: the client gives it.
const newID = `"auto"`

// valuesAt is where the values of a method are in its parameters.
func valuesAt(method string) []string {
	if method == "tools/call" || method == "prompts/get" {
		return []string{"arguments"}
	}
	return nil
}

// origin is the row that it was made of, session.NoRow for none.
func (r *recipe) origin() uint32 {
	if r.of == 0 {
		return session.NoRow
	}
	return r.row
}

// title is what is composed, in a few words.
func (r *recipe) title() string {
	switch {
	case r.text != "" && r.bytes:
		return "bytes"
	case r.text != "":
		return "a whole message"
	}
	return strings.TrimSpace(r.method + " " + r.name)
}

// message is the message with the values as they are at first, and the path to
// them. Parameters in which there is no place for them are the values themselves.
func (r *recipe) message() (message []byte, path []string) {
	params := r.params
	if len(bytes.TrimSpace(params)) == 0 {
		params = []byte("{}")
	}
	for _, name := range r.path {
		filled, ok := withMember(params, name, []byte("{}"))
		if !ok {
			r.path, r.schema = nil, nil
			break
		}
		params = filled
	}
	id := newID
	if client.IsNotification(r.method) {
		id = ""
	}
	return jsonrpc.AppendRequest(nil, id, r.method, params), append([]string{"params"}, r.path...)
}

// form makes the form. It may take its time.
func (r *recipe) form(f facts) *form.Form {
	cfg := form.Config{Title: r.title(), About: r.about, Schema: r.schema, Malformed: f.ours}
	if f.completes && (r.uri != "" || r.method == "prompts/get") {
		cfg.Completes = func(path []string) bool { return len(path) == 1 }
	}
	if r.uri != "" {
		cfg.Values = r.params
	} else {
		cfg.Message, cfg.Path = r.message()
		cfg.Schema = r.schema
		cfg.Values = r.values()
	}
	made := form.New(cfg)
	if r.text != "" {
		mode := form.Raw
		if r.bytes {
			mode = form.Malformed
		}
		// Where bytes cannot be sent they are shown as what they are, text.
		if made.SetMode(mode) != nil {
			_ = made.SetMode(form.Raw) // is always offered
		}
		if check := made.SetText(r.text); check != nil {
			made.Update(check())
		}
	}
	return made
}

// values are the values at first, nil where there are none: the schema's defaults
// then be there.
func (r *recipe) values() []byte {
	at := r.params
	for _, name := range r.path {
		at = recorder.Members(at)[name]
	}
	if len(bytes.TrimSpace(at)) == 0 {
		return nil
	}
	return at
}

// recipeOf is what a pane asks for.
func recipeOf(msg pane.ComposeMsg) recipe {
	r := recipe{method: msg.Method, name: msg.Name, about: msg.About, schema: msg.Schema, path: valuesAt(msg.Method), task: msg.Task}
	switch {
	case msg.Params != nil:
		r.params = msg.Params
	case len(r.path) > 0:
		r.params = namedParams(msg.Name, msg.Values)
	case msg.Method == "resources/read" && strings.Contains(msg.Name, "{"):
		r.uri, r.params = msg.Name, msg.Values
		if r.schema == nil {
			r.schema = templateSchema(r.uri)
		}
	case msg.Values == nil && msg.Name != "" && msg.Method == "resources/read":
		r.params = uriParams(msg.Name)
	default:
		r.params = msg.Values
	}
	if r.schema == nil && msg.Params == nil { // Else what is listed under the name in Params is looked for.
		r.schema = methodSchema(r.method)
	}
	return r
}

// recipeOfEntry is a composition that was kept.
func recipeOfEntry(e *Entry) recipe {
	r := recipe{method: e.Method, name: e.Name, params: e.Params, uri: e.URI, text: e.Text, bytes: e.Bytes}
	if r.uri == "" {
		r.path = valuesAt(r.method)
	} else {
		r.schema = templateSchema(r.uri)
	}
	if len(e.Removed) > 0 {
		r.note = "secrets are not kept: fill in " + strings.Join(e.Removed, ", ")
	}
	return r
}

// namedParams are parameters with a name and arguments; nil arguments are left to
// the schema's defaults.
func namedParams(name string, arguments []byte) []byte {
	if len(arguments) == 0 {
		return fmt.Appendf(nil, `{"name":%s}`, lex.Quote(name))
	}
	return fmt.Appendf(nil, `{"name":%s,"arguments":%s}`, lex.Quote(name), arguments)
}

func uriParams(uri string) []byte { return fmt.Appendf(nil, `{"uri":%s}`, lex.Quote(uri)) }

// withMember gives an object a member, in the end, where it has none of that name. It
// reports false where there is no object.
func withMember(object []byte, name string, value []byte) ([]byte, bool) {
	list, ok := lex.List(object)
	if !ok || slices.ContainsFunc(list, func(m lex.Member) bool { return m.Name == name }) {
		return object, ok
	}
	lead := ""
	if len(list) > 0 {
		lead = ","
	}
	end := bytes.LastIndexByte(object, '}')
	return slices.Concat(bytes.TrimRight(object[:end], " \t\r\n"), []byte(lead), []byte(lex.Quote(name)), []byte{':'}, value, []byte{'}'}), true
}
