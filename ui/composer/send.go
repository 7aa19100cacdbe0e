package composer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/text"
	"wiretea/ui/composer/form"
	"wiretea/ui/detail"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// A parcel is what was filled in, ready to be sent.
type parcel struct {
	recipe recipe
	mode   form.Mode
	line   []byte // line is the whole message, or the bytes; the values of a URI template.
	text   string // text is what was typed, in malformed mode.
	opts   client.Options
}

// parcel takes what is filled in. It costs as much as that is long.
func (c *Composer) parcel() parcel {
	p := c.parcelOf(slices.Clone(c.form.Line()), c.form.Mode())
	if p.mode == form.Malformed {
		p.text = c.form.Text()
	}
	return p
}

// parcelOf is a line of some mode, with what it is sent with.
func (c *Composer) parcelOf(line []byte, mode form.Mode) parcel {
	p := parcel{recipe: c.recipe, mode: mode, line: line}
	p.opts.LogLevel = c.level
	if c.asTask {
		p.opts.Task = &client.TaskOptions{}
	}
	return p
}

// request is the parcel as a method with its parameters. It reports false where
// it is a message that has to be sent as a whole.
func (p *parcel) request() (recorder.Request, bool) {
	if p.recipe.uri != "" {
		return recorder.Request{Method: "resources/read", Params: uriParams(expand(p.recipe.uri, p.line))}, json.Valid(p.line)
	}
	list, ok := lex.List(p.line)
	if !ok || p.mode == form.Malformed {
		return recorder.Request{}, false
	}
	var m recorder.Request
	seen := map[string]int{}
	id := ""
	for _, member := range list {
		seen[member.Name]++
		switch member.Name {
		case "jsonrpc":
			ok = ok && string(member.Value) == `"2.0"`
		case "id":
			id = string(member.Value)
		case "method":
			m.Method = recorder.TextOf(member.Value)
		case "params":
			m.Params = member.Value
		default:
			ok = false
		}
		ok = ok && seen[member.Name] == 1
	}
	// Only what the client would write itself is left to it.
	plain := id == newID
	if client.IsNotification(m.Method) {
		plain = seen["id"] == 0
	}
	schema := methodSchemas.Get()[m.Method]
	if p.mode == form.Fields && string(m.Params) == "{}" && (schema == noSchema || schema == cursorSchema) {
		m.Params = nil
	}
	return m, ok && plain && seen["jsonrpc"] == 1 && m.Method != ""
}

// sendForm sends what is filled in. With something wrong it asks first, and with
// something that nobody has looked at yet it waits for that; twice is an answer.
func (c *Composer) sendForm() tea.Cmd {
	if why := c.requests.Disabled(); why != "" {
		return c.tab.Say(session.Error, why)
	}
	if c.form.Mode() != form.Malformed && !c.form.Checked() && !c.sending {
		c.sending = true
		return nil
	}
	return c.sendJudged()
}

func (c *Composer) sendJudged() tea.Cmd {
	c.sending = false
	if c.form.Mode() == form.Malformed {
		return c.sendBytes()
	}
	problems := c.form.Problems()
	if len(problems) == 0 && c.form.Checked() {
		return c.sendAgreed()
	}
	box := &overlay.Confirm{Head: "send anyway?", Yes: "sends it as it is", Do: c.sendAgreed}
	for _, p := range problems[:min(len(problems), 5)] {
		box.Parts = append(box.Parts, overlay.Warn.Of(strings.TrimSpace(strings.Join(p.Path, ".")+" "+p.Text)))
	}
	if more := len(problems) - 5; more > 0 {
		box.Parts = append(box.Parts, overlay.Text.Of("and "+text.Plural(int64(more), "problem")+" more"))
	}
	if len(problems) == 0 {
		box.Parts = []overlay.Part{overlay.Text.Of("Whether the values are right has not been found out yet.")}
	}
	c.tab.Open(box)
	return nil
}

// sendAgreed sends what is filled in. Into somebody else's session it asks first.
func (c *Composer) sendAgreed() tea.Cmd {
	if c.message == nil {
		return nil
	}
	m, p := c.message, c.parcel()
	return c.requests.Confirmed(text.Visible(p.line, 4000), func() tea.Cmd { return c.dispatch(m, p) })
}

// dispatch sends a parcel of a message, remembers it, and takes the cursor to it.
func (c *Composer) dispatch(m *message, p parcel) tea.Cmd {
	method := p.recipe.method
	if p.mode != form.Fields {
		method = "" // it may be another
	}
	c.requests.Follow(method, p.recipe.origin())
	m.sent = true
	if !c.stays && !m.recipe.stay && c.message == m {
		c.message, c.draft = nil, nil
		c.tab.Layout().ToTraffic()
	}
	post := post{client: c.requests.Client()}
	post.sender, _ = c.tab.Source.(source.Sender)
	deliver := func() tea.Msg {
		if err := post.deliver(context.Background(), p); err != nil {
			return pane.SayMsg{Text: err.Error(), Severity: session.Error}
		}
		return nil
	}
	return tea.Batch(deliver, c.remember(p))
}

// A post is the way to a session's server.
type post struct {
	sender source.Sender
	client *client.Client // client is our own; nil where there is none.
}

var (
	errNoBytes = errors.New("malformed bytes can be sent only to a server that wiretea started")
	errNoWay   = errors.New("not connected to the server")
)

// deliver sends a parcel and waits for its answer, which shows in the traffic.
func (w post) deliver(ctx context.Context, p parcel) error {
	m, plain := p.request()
	switch {
	case w.client == nil && w.sender == nil:
		return errNoWay
	case w.client == nil && plain:
		line := m.Method
		if m.Params != nil {
			line += " " + string(m.Params)
		}
		return w.sender.Send(ctx, line)
	case w.client == nil && p.mode == form.Malformed:
		return errNoBytes
	case w.client == nil:
		return w.sender.Send(ctx, string(p.line))
	case p.mode == form.Malformed:
		return w.client.Send(ctx, p.line)
	case !plain && !json.Valid(p.line):
		return w.client.Send(ctx, append(bytes.Clone(p.line), '\n'))
	case !plain:
		_, err := w.client.CallRaw(ctx, p.line)
		return failure("", err)
	case client.IsNotification(m.Method):
		return failure(m.Method, w.client.Notify(ctx, m.Method, m.Params))
	}
	_, err := w.client.Do(ctx, m.Method, m.Params, p.options(m.Method))
	return failure(m.Method, err)
}

// options are what a request of the parcel's is made with.
func (p *parcel) options(method string) client.Options {
	opts := p.opts
	if method == "tools/call" {
		opts.Progress = func(client.Progress) {} // it shows in the traffic
	}
	return opts
}

// failure is an error as far as it is not an answer, which shows in the traffic.
func failure(method string, err error) error {
	var answer *client.RPCError
	switch {
	case err == nil, errors.As(err, &answer), errors.Is(err, context.Canceled), errors.Is(err, client.ErrCancelled),
		errors.Is(err, client.ErrTooLong), errors.Is(err, client.ErrTask):
		return nil
	case method == "" || strings.HasPrefix(err.Error(), method):
		return err
	}
	return fmt.Errorf("%s: %w", method, err)
}

// A rememberedMsg says that the history has another entry.
type rememberedMsg struct{}

// remember keeps what is sent for the next time.
func (c *Composer) remember(p parcel) tea.Cmd {
	return c.keep(func() Entry { return p.entry(time.Now()) })
}

// Sent keeps a line that was sent without the composer, as :send takes it.
func (c *Composer) Sent(line string) tea.Cmd {
	method, params, err := client.ParseLine(line)
	if err != nil || c.requests.Disabled() != "" {
		return nil
	}
	return c.keep(func() Entry {
		if method == "" {
			return Entry{At: moment(time.Now()), Text: string(params)}
		}
		return requestEntry(time.Now(), recorder.Request{Method: method, Params: params})
	})
}

// keep keeps an entry for the next time.
func (c *Composer) keep(entry func() Entry) tea.Cmd {
	if c.history == "" {
		return nil
	}
	store, key := Store{Dir: c.history}, c.historyKey()
	return c.tab.Addressed(c, func() tea.Msg {
		if _, err := store.Add(key, entry()); err != nil {
			return pane.SayMsg{Text: "sent, but not kept in the history: " + err.Error(), Severity: session.Info}
		}
		return rememberedMsg{}
	})
}

// entry is a parcel as it is kept.
func (p *parcel) entry(at time.Time) Entry {
	e := Entry{At: moment(at), Method: p.recipe.method, Name: p.recipe.name}
	switch m, plain := p.request(); {
	case p.mode == form.Malformed:
		e = Entry{At: e.At, Text: p.text, Bytes: true}
	case p.recipe.uri != "":
		e.URI, e.Params = p.recipe.uri, p.line
	case plain:
		e = requestEntry(at, m)
	default:
		e = Entry{At: e.At, Text: string(p.line)}
	}
	return e
}

// requestEntry is a request as it is kept.
func requestEntry(at time.Time, m recorder.Request) Entry {
	params := recorder.Members(m.Params)
	return Entry{At: moment(at), Method: m.Method, Params: m.Params, Name: cmp.Or(recorder.TextOf(params["name"]), recorder.TextOf(params["uri"]))}
}

// moment is a time as it is kept.
func moment(at time.Time) time.Time { return at.UTC().Truncate(time.Second) }

// historyKey names the history of the session's server.
func (c *Composer) historyKey() string {
	t := c.tab
	if h := t.Ctx.Header; h != nil && (h.Name != "" || len(h.Server()) > 0) {
		return StoreKey(h.Name, h.Server())
	}
	return StoreKey("", []string{t.Source.Title()})
}

// copyLine copies what is filled in as a command line.
func (c *Composer) copyLine() tea.Cmd {
	p := c.parcel()
	h := c.tab.Ctx.Header
	if h == nil || len(h.Server()) == 0 {
		return pane.Tell(pane.SayMsg{Text: "the server's command is not known", Severity: session.Info})
	}
	version, asTask := "", p.opts.Task != nil
	if conn := c.tab.Ctx.Snap.LastConn(); conn != nil {
		version = conn.VersionText
	}
	return func() tea.Msg {
		message := p.line
		if m, plain := p.request(); plain {
			whole, err := client.Message(m.Method, m.Params)
			if err != nil {
				return pane.SayMsg{Text: err.Error(), Severity: session.Error}
			}
			message = whole
		}
		line := detail.CallLine(h, version, message, nil)
		if asTask {
			line = strings.Replace(line, "wiretea call ", "wiretea call --task ", 1)
		}
		return pane.CopyMsg{What: "the command line", Text: line}
	}
}

// wire returns the bytes that sending a message as it is in another mode
// would begin with, nil where that is nothing else than the message. It notes
// the id in them.
func (c *Composer) wire(message []byte, from form.Mode) []byte {
	peer := c.requests.Client()
	if c.lent = ""; peer == nil {
		return nil
	}
	p := c.parcelOf(message, from)
	m, plain := p.request()
	switch {
	case !plain && !json.Valid(message):
		return nil
	case !plain:
		return peer.Frame(message)
	}
	b, err := peer.Preview(m.Method, m.Params, p.options(m.Method))
	if err != nil {
		return nil
	}
	if _, rest, ok := bytes.Cut(b[:min(len(b), idWindow)], []byte(idKey)); ok && !client.IsNotification(m.Method) {
		id, _, _ := bytes.Cut(rest, []byte(","))
		c.lent = string(id)
	}
	return b
}

// idKey is before an id as our client writes it, within the first idWindow
// bytes.
const (
	idKey    = `"id":`
	idWindow = 4096
)

// lentIn is where in bytes the id is that was put there, -1 = no longer.
func (c *Composer) lentIn(b []byte) int {
	b = b[:min(len(b), idWindow)]
	lead := idKey + c.lent
	at := bytes.Index(b, []byte(lead))
	if at < 0 || c.lent == "" {
		return -1
	}
	if end := at + len(lead); end < len(b) && (b[end] >= '0' && b[end] <= '9') {
		return -1 // it is a longer one
	}
	return at + len(idKey)
}

// sendBytes sends what malformed mode has, which is never changed unasked. An id
// that was put there is a good one for as long as nothing else has it: where
// something has gone out with it since, that is asked about.
func (c *Composer) sendBytes() tea.Cmd {
	peer := c.requests.Client()
	at := c.lentIn(c.form.Line())
	if peer == nil || at < 0 {
		return c.sendAgreed()
	}
	lent, next := c.lent, peer.NextID()
	was, errWas := strconv.ParseInt(lent, 10, 64)
	now, errNow := strconv.ParseInt(next, 10, 64)
	if errWas != nil || errNow != nil || was >= now {
		return c.sendAgreed()
	}
	c.tab.Open(&overlay.Confirm{
		Head:  "the id has been used",
		Parts: []overlay.Part{overlay.Warn.Of("Since these bytes began with id " + lent + ", a request has gone out with it. The next one is " + next + ".")},
		Yes:   "sends them as they are",
		Do: func() tea.Cmd {
			c.lent = ""
			return c.sendAgreed()
		},
		Or: "puts " + next + " there",
		OrDo: func() tea.Cmd {
			c.lent = next
			return c.tab.Addressed(c, c.form.ReplaceBytes(at, at+len(lent), []byte(next)))
		},
	})
	return nil
}
