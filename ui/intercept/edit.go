package intercept

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/text"
	"wiretea/ui/composer/form"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// longestEdit is the longest message that is edited, in bytes.
const longestEdit = 16 << 20

// edit opens a message in the editor of JSON and of exact bytes.
func (q *Intercept) edit(h session.Held) tea.Cmd {
	if h.Size > longestEdit {
		return q.tab.Say(session.Error, "the message is too long to be edited here")
	}
	place, before := q.place, q.edited(h.ID)
	schemaOf := q.Schemas()
	return q.tab.Addressed(q, func() tea.Msg {
		came, err := place.Text(context.Background(), h.ID)
		if err != nil {
			return doneMsg{err: err}
		}
		text := came
		if before.Text != nil {
			text = before.Text
		}
		var schema []byte
		if h.Kind == session.RowRequest {
			schema = schemaOf(h.Method, h.Target)
		}
		return editMsg{newEditor(h, text, came, schema)}
	})
}

// An editMsg brings an editor that is ready to be shown.
type editMsg struct{ editor *editor }

// An editor is the form of a held message.
type editor struct {
	held  session.Held
	came  []byte // came is the text as it came.
	begun []byte // begun is what was in the form first,
	line  []byte // and what the form made of it.
	form  *form.Form
}

// newEditor returns the editor of a text: a form for the arguments that the schema describes, with
// JSON where that is nil, else bytes. It costs as much as the text is long, and is called in a
// command.
func newEditor(h session.Held, text, came, schema []byte) *editor {
	e := &editor{held: h, came: came, begun: text}
	cfg, mode := form.Config{Title: "the message", Values: text, Malformed: true, Buttons: true}, form.Raw
	if arguments := lex.Get(lex.Get(text, "params"), "arguments"); schema != nil && json.Valid(text) && len(arguments) > 0 {
		cfg.Message, cfg.Path, cfg.Schema, cfg.Values, mode = text, []string{"params", "arguments"}, schema, arguments, form.Fields
	}
	e.form = form.New(cfg)
	e.form.OnWire(func(message []byte, _ form.Mode) []byte {
		if bytes.Equal(message, e.line) {
			return e.begun // Exactly as it is, its white space too.
		}
		return message
	})
	if !json.Valid(text) || !utf8.Valid(text) {
		mode = form.Malformed
		e.line = e.form.Line()
	}
	_ = e.form.SetMode(mode) // Both are offered.
	if mode != form.Malformed {
		e.line = e.form.Line()
	}
	return e
}

// text is the text as it was left: the one of the beginning where only its layout differs.
func (e *editor) text() []byte {
	now := e.form.Line()
	if e.form.Mode() != form.Malformed && bytes.Equal(now, e.line) {
		return e.begun
	}
	return now
}

// editorBox opens an editor.
func (q *Intercept) editorBox(e *editor) tea.Cmd {
	b := &formBox{of: q, held: e.held, title: "edit", keeps: "keep", form: e.form}
	b.says = "what is kept goes on then"
	b.keep = func(*form.Form) (tea.Cmd, error) {
		text := e.text()
		if e.form.Mode() != form.Malformed && !json.Valid(text) && !bytes.Equal(text, e.begun) {
			return nil, errors.New("this is not JSON: correct it, or press ctrl-o for malformed, where any bytes are kept")
		}
		return q.keepText(e.held, e.came, text)
	}
	if e.held.Kind == session.RowRequest && e.held.Stream == session.C2S {
		b.anew = func() tea.Cmd { // The composer closes the box, once it is there.
			text := e.text()
			if !json.Valid(text) {
				return q.tab.Say(session.Error, "this is not JSON, which a new call has to be")
			}
			return pane.Tell(pane.ComposeMsg{Method: lex.Unquote(lex.Get(text, "method")), Params: lex.Get(text, "params")})
		}
	}
	return b.open()
}

// headSchema is the form of the status and the headers of a response.
const headSchema = `{"type":"object","required":["status","headers"],"properties":{
"status":{"type":"integer","minimum":200,"maximum":599,"description":"the status of the response"},
"headers":{"type":"array","items":{"type":"string"},"description":"one header each, as in content-type: application/json; credentials are not shown here and stay as they are"}}}`

// editHead opens the status and the headers of a response over HTTP.
func (q *Intercept) editHead(h session.Held) tea.Cmd {
	e := q.edited(h.ID)
	status, header := h.Status, h.Header
	if e.Status != 0 {
		status = e.Status
	}
	if e.Header != nil {
		header = e.Header
	}
	lines := make([]string, len(header))
	for i, f := range header {
		lines[i] = f.Name + ": " + f.Value
	}
	values, err := json.Marshal(map[string]any{"status": status, "headers": lines})
	if err != nil {
		return q.tab.Say(session.Error, err.Error())
	}
	b := &formBox{of: q, held: h, title: "status and headers", keeps: "keep"}
	b.form = form.New(form.Config{Title: "the HTTP response", Schema: []byte(headSchema), Values: values, Buttons: true})
	b.keep = func(f *form.Form) (tea.Cmd, error) {
		status, fields, err := readHead(f.Values())
		if err != nil {
			return nil, err
		}
		e := q.edited(h.ID)
		e.Status, e.Header = 0, nil
		if status != h.Status {
			e.Status = status
		}
		if !slices.Equal(fields, h.Header) {
			e.Header = fields
		}
		return tea.Batch(q.tab.AddressedTo(keys.Held, q.tab.Held.SetEdit(h.ID, e)), q.tab.Say(session.Info, "status and headers go on as edited once the message is released")), nil
	}
	return b.open()
}

// readHead reads what the form of the status and the headers has.
func readHead(values []byte) (int, []session.HTTPField, error) {
	var v struct {
		Status  int
		Headers []string
	}
	if err := json.Unmarshal(values, &v); err != nil {
		return 0, nil, fmt.Errorf("status and headers cannot be read: %w", err)
	}
	if v.Status < 200 || v.Status > 599 {
		return 0, nil, errors.New("the status of a response is a number from 200 to 599")
	}
	fields := []session.HTTPField{}
	for _, line := range v.Headers {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(line, "\r\n") || strings.ContainsAny(name, " \t") {
			return 0, nil, fmt.Errorf("%q is not a header, as in content-type: application/json", text.OneLine(line))
		}
		fields = append(fields, session.HTTPField{Name: name, Value: strings.TrimSpace(value)})
	}
	return v.Status, fields, nil
}
