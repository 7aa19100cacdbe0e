package form

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/json/lex"
	"wiretea/session/json/tree"
	"wiretea/ui/pane"
)

// Mode is how the values are edited.
type Mode uint8

const (
	Fields    Mode = iota // Fields: a form.
	Raw                   // Raw: JSON as text.
	Malformed             // Malformed: any bytes, typed with escapes.
	numModes
)

var modeWords = [numModes]string{"form", "raw", "malformed"}

// String returns the mode's word.
func (m Mode) String() string { return modeWords[m] }

// A Config says what a Form is about. Its bytes must not be changed afterwards.
type Config struct {
	Title string // Title names what is filled in, About describes it; both may come from a peer.
	About string

	Schema []byte // Schema is a JSON schema; nil, or what is none, gives a field of raw JSON.
	Values []byte // Values are the starting values; nil = none, the schema's defaults are there.

	// Message is the whole message that the values are a part of, and Path the
	// names that lead to them: params, arguments. What is there is replaced
	// by the values. Nil = the values are sent by themselves.
	Message []byte
	Path    []string

	// Completes reports whether candidates can be asked for, for the field at a
	// path. Nil = for none.
	Completes func(path []string) bool

	// Malformed says that any bytes may be sent, so that the mode for them is
	// offered.
	Malformed bool

	// Buttons says that what draws the form says itself how it is sent and left, and frames
	// what is sent.
	Buttons bool
}

// Messages with which a Form asks for something: it returns them from a command.
type (
	// SendMsg: the values are to be sent, whatever Form.Problems says.
	SendMsg struct{ Form *Form }

	// LeaveMsg: the user wants to leave the form.
	LeaveMsg struct{ Form *Form }
)

// A Form is the form. It is not safe for concurrent use.
type Form struct {
	cfg    Config
	schema *tree.Node // schema is the schema as it was parsed.
	book   *book
	sub    *ref
	root   *field

	before, after []byte // before and after are the message's bytes before and after the values.

	mode  Mode
	plain *editor                                // plain is the text of Raw,
	base  string                                 // and base what it was at first.
	bytes *editor                                // bytes is the notation of Malformed.
	wire  func(message []byte, from Mode) []byte // wire is what OnWire said.

	rows []row
	at   int // at is the row that has the focus.
	top  int // top is the first row that is shown.
	menu *menu

	checks     checks
	completing completing
	tried      bool   // tried: the values were to be sent.
	notice     string // notice is what the last key came to, empty = nothing to say.
	seen       seen
}

// New returns a form. It costs as much as the schema and the values are long,
// and may be called in a command.
func New(cfg Config) *Form {
	f := &Form{cfg: cfg, plain: newEditor(""), bytes: newEditor("")}
	f.cfg.Title, f.cfg.About = inline(cfg.Title, maxName), visible(cfg.About, maxAbout)
	schema, err := parse(cfg.Schema)
	if err != nil {
		if schema, _ = parse([]byte("true")); cfg.Schema != nil {
			f.checks.note = "the schema is not JSON: " + inline(err.Error(), 200)
		}
	}
	f.schema, f.book = schema, newBook(schema)
	f.sub = &ref{schemas: []*tree.Node{schema}}
	f.begin()
	if v, err := parse(bytes.Clone(cfg.Values)); err == nil {
		f.fill(v)
	} else if cfg.Values != nil { // What is not JSON is shown as it is, and is not what the fields say.
		f.mode, f.plain, f.base = Raw, newEditor(string(cfg.Values)), "\x00"
	}
	if len(cfg.Message) > 0 {
		message := lex.AppendCompact(nil, cfg.Message)
		if v, err := locate(message, cfg.Path); err == nil {
			f.before, f.after = message[:v.Off:v.Off], message[v.Off+len(v.Raw):]
		} else {
			f.notice = inline(err.Error(), 200)
		}
	}
	f.layout()
	f.first()
	return f
}

// begin makes the fields without any values.
func (f *Form) begin() {
	m := newMaker(f.book)
	root := m.field(nil, f.sub, nil, true, 0)
	root.required = true
	if m.fill(root, 0); root.origin == absent {
		m.begin(root, 0)
	}
	if root.manner == asRaw && root.text == nil {
		root.text = newEditor("{}")
	}
	root.origin = given
	f.root = root
}

// fill makes the fields of a value.
func (f *Form) fill(v *tree.Node) {
	f.root = newMaker(f.book).field(nil, f.sub, v, false, 0)
	f.root.required = true
}

// locate finds the values in a message.
func locate(message []byte, path []string) (*tree.Node, error) {
	v, err := parse(message)
	if err != nil {
		return nil, err
	}
	for i, name := range path {
		if v = v.Get(name); v == nil {
			return nil, fmt.Errorf("the message has no %s for the values", strings.Join(path[:i+1], "."))
		}
	}
	return v, nil
}

// Init returns the command that checks the values for the first time.
func (f *Form) Init() tea.Cmd { return f.check() }

// Mode returns how the values are edited.
func (f *Form) Mode() Mode { return f.mode }

// errNotOffered is returned for Malformed where Config does not offer it.
var errNotOffered = errors.New("malformed bytes can be sent only to a server that wiretea started")

// SetMode changes the mode and takes the values along. It fails, and leaves all
// as it is, where the mode is not offered, or the text of the raw mode cannot be
// shown in a form.
func (f *Form) SetMode(to Mode) error {
	if to == f.mode {
		return nil
	}
	if to == Malformed && !f.cfg.Malformed {
		return errNotOffered
	}
	switch {
	case to == Fields && f.base != f.plain.String(): // The fields take what was typed in raw mode.
		text := lex.AppendCompact(nil, f.plain.text)
		v, err := locate(text, f.path())
		if err != nil {
			return err
		}
		f.fill(v)
		f.before, f.after = text[:v.Off:v.Off], text[v.Off+len(v.Raw):]
		f.base = f.plain.String()
		f.layout()
		f.first()
	case to == Raw && f.base == f.plain.String():
		f.base = string(indented(f.line()))
		f.plain = newEditor(f.base)
		f.plain.at = 0
	case to == Malformed:
		line := f.Line()
		var wire []byte
		if f.wire != nil {
			wire = f.wire(line, f.mode)
		}
		if wire == nil {
			wire = append(bytes.TrimSuffix(line, []byte("\n")), '\n')
		}
		f.bytes = newEditor(notation(wire))
	}
	// What is malformed stays behind: from there one goes back to what was
	// before, in raw mode too where that cannot be shown in a form.
	f.mode, f.menu, f.notice = to, nil, ""
	f.layout()
	return nil
}

// OnWire says with which bytes malformed mode begins: those that would be sent
// for a message of another mode. Nil = for the message, or for all, it is the
// message and a line feed.
func (f *Form) OnWire(bytes func(message []byte, from Mode) []byte) { f.wire = bytes }

// ReplaceBytes puts others in the place of bytes[from:to] of malformed mode.
func (f *Form) ReplaceBytes(from, to int, with []byte) tea.Cmd {
	if f.mode != Malformed {
		return nil
	}
	start, end := notationAt(f.bytes.text, from), notationAt(f.bytes.text, to)
	f.bytes.replace(start, end, []byte(notation(with)), false)
	return f.check()
}

// path is where the values are in what raw mode shows.
func (f *Form) path() []string {
	if len(f.cfg.Message) == 0 {
		return nil
	}
	return f.cfg.Path
}

// Values returns the values as JSON, exactly as they would be sent: compact, but
// for what was typed in malformed mode, of which it returns the bytes. Where
// raw JSON was typed that is none, neither is what it returns; Problems says so.
func (f *Form) Values() []byte {
	switch f.mode {
	case Malformed:
		return denote(f.bytes.text)
	case Raw:
		text := lex.AppendCompact(nil, f.plain.text)
		if v, err := locate(text, f.path()); err == nil {
			return v.Raw
		}
		return text
	case Fields, numModes:
	}
	return f.encode().out
}

func (f *Form) encode() *encoder {
	e := &encoder{}
	e.write(f.root)
	return e
}

// Line returns the whole message with the values in their place, without a line
// end; in malformed mode the bytes, with or without one. Without a message it
// returns what Values does.
func (f *Form) Line() []byte {
	switch f.mode {
	case Malformed:
		return f.Values()
	case Raw:
		return lex.AppendCompact(nil, f.plain.text)
	case Fields, numModes:
	}
	return f.line()
}

// line is the message as the fields have it.
func (f *Form) line() []byte {
	e := &encoder{out: bytes.Clone(f.before)}
	e.write(f.root)
	return append(e.out, f.after...)
}

// Text returns what an editor outside is given: the JSON over several lines, of
// raw mode its text, of malformed mode its notation.
func (f *Form) Text() string {
	switch f.mode {
	case Raw:
		return f.plain.String()
	case Malformed:
		return f.bytes.String()
	case Fields, numModes:
	}
	return string(indented(f.Values()))
}

// SetText takes back what Text gave. What is not JSON is shown in raw mode, as
// it is.
func (f *Form) SetText(text string) tea.Cmd {
	text = strings.TrimSuffix(text, "\n")
	f.notice = ""
	switch f.mode {
	case Raw:
		f.plain.replace(0, len(f.plain.text), []byte(text), false)
	case Malformed:
		f.bytes.replace(0, len(f.bytes.text), []byte(text), false)
	case Fields, numModes:
		if v, err := parse([]byte(text)); err == nil {
			f.fill(v)
		} else {
			whole := append(append(bytes.Clone(f.before), text...), f.after...)
			f.mode, f.plain, f.base = Raw, newEditor(string(whole)), "\x00"
			f.notice = "not JSON: " + inline(err.Error(), 200)
		}
		f.menu = nil
		f.layout()
		f.first()
	}
	return f.check()
}

// Update takes a key, a paste, the mouse (pane.Click, pane.Wheel), an answer to
// Complete, and the results of the form's own commands.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		f.notice = ""
		return f.key(msg)
	case tea.PasteMsg:
		return f.paste(msg.Content)
	case pane.ClickMsg:
		return f.click(msg)
	case pane.WheelMsg:
		move := (*editor).down
		if msg.Lines < 0 {
			move = (*editor).up
		}
		if f.mode == Fields {
			f.stand(f.at + msg.Lines)
			return nil
		}
		for range max(msg.Lines, -msg.Lines) {
			move(f.editor())
		}
	case checked:
		return f.take(msg)
	case CompletedMsg:
		return f.completed(msg)
	}
	return nil
}
