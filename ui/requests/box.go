package requests

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/composer/form"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/outside"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// stage is what a question's box takes.
type stage uint8

const (
	resting  stage = iota // resting: it came up by itself, and takes no key but those that open it or put it aside.
	filling               // filling: the form has the keys.
	choosing              // choosing: plain keys say what becomes of the question.
)

// A box shows a question of the server's and takes the answer.
type box struct {
	of       *Questions
	one      *source.Question
	kind     kind
	asks     string         // asks is what it says, in a line.
	occasion string         // occasion is the request of ours that it is part of, empty = not known.
	parts    []overlay.Part // parts are what it says; texts are fit for the screen.
	url      string         // url is what the server wants visited, as it came.

	form    *form.Form                          // form is filled in; nil = there is none.
	result  func(filled) (client.Answer, error) // result is what form answers; it is called in a command.
	raw     *form.Form                          // raw is the whole answer as JSON; nil until it was asked for.
	rawFrom string                              // rawFrom is what is in raw first; empty = an object.

	stage    stage
	page     list.Page // page is the text as far as it is shown.
	insists  bool      // insists: an answer that does not fit was to be sent, and this was said.
	awaits   bool      // awaits: the answer is sent once its values have been checked.
	settling bool      // settling: an answer is on its way.

	spots  []buttonSpot // spots are where the buttons were drawn.
	h      int          // h is the height of the inside as it was drawn.
	formAt int          // formAt is the line at which the form was drawn, -1 = it was not.
}

// A buttonSpot is where a button is on the last line.
type buttonSpot struct {
	key      string
	from, to int
}

// editing is the form that has, or would have, the keys; nil = none.
func (b *box) editing() *form.Form {
	if b.raw != nil {
		return b.raw
	}
	return b.form
}

// short is what the question says, in at most w cells.
func (b *box) short(w int) string { return cells.Fit(b.asks, min(w, cells.Width(b.asks))) }

// Resting implements overlay.Rester.
func (b *box) Resting() bool { return b.stage == resting }

// Wants implements overlay.Rester. A box that came up by itself leaves other keys to what
// is below it.
func (b *box) Wants(key string) bool {
	return b.stage != resting || key == "enter" || key == "a" || key == "esc" || key == "q"
}

// begin gives the box the keys.
func (b *box) begin() tea.Cmd {
	b.stage = choosing
	if f := b.editing(); f != nil {
		b.stage = filling
		return b.of.tab.Addressed(b, f.Init())
	}
	return nil
}

// Key implements overlay.Box.
func (b *box) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) { return b.Take(msg), false }

// Update implements host.Receiver.
func (b *box) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case settledMsg:
		return b.of.settled(b, msg)
	case form.SendMsg:
		return b.accept()
	case form.LeaveMsg:
		if b.stage == filling {
			b.stage = choosing
		}
	default:
		f := b.editing()
		if f == nil {
			return nil
		}
		cmd := f.Update(msg)
		if b.awaits && f.Checked() {
			b.awaits = false
			return tea.Batch(cmd, b.accept())
		}
		return cmd
	}
	return nil
}

// Take implements overlay.Taker.
func (b *box) Take(msg any) tea.Cmd { return b.of.tab.Addressed(b, b.take(msg)) }

func (b *box) take(msg tea.Msg) tea.Cmd {
	if b.settling {
		return nil
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch b.stage {
		case resting:
			if k := msg.String(); k == "esc" || k == "q" {
				return b.later()
			}
			return b.begin()
		case choosing:
			return b.choose(msg.String())
		case filling:
			if msg.String() != "ctrl+s" && msg.String() != "ctrl+enter" {
				b.insists, b.awaits = false, false
			}
			if msg.String() == "esc" {
				return b.escape(msg)
			}
			return b.editing().Update(msg)
		}
	case pane.WheelMsg:
		if b.stage != filling {
			b.page.Wheel(msg.Lines)
			return nil
		}
	case pane.ClickMsg:
		return b.click(msg)
	}
	if b.stage == filling {
		return b.editing().Update(msg)
	}
	return nil
}

// escape gives esc to the form. That it is left is taken at once, so that no key
// that was pressed behind it goes into the form.
func (b *box) escape(msg tea.KeyPressMsg) tea.Cmd {
	cmd := b.editing().Update(msg)
	if cmd == nil {
		return nil
	}
	what := cmd() // a form answers esc with a Leave, or with nothing
	if _, left := what.(form.LeaveMsg); left {
		b.stage = choosing
		return nil
	}
	return pane.Tell(what)
}

// click presses a button, or gives the click to the form.
func (b *box) click(msg pane.ClickMsg) tea.Cmd {
	if b.stage == resting {
		return b.begin()
	}
	if msg.Y == b.h-1 {
		for _, spot := range b.spots {
			if msg.X >= spot.from && msg.X < spot.to {
				switch {
				case spot.key == "esc" && b.stage == filling:
					b.stage = choosing
					return nil
				case spot.key == "ctrl+s":
					return b.accept()
				}
				return b.choose(spot.key)
			}
		}
		return nil
	}
	if b.stage == filling && b.formAt >= 0 && msg.Y >= b.formAt {
		msg.Y -= b.formAt
		return b.editing().Update(msg)
	}
	return nil
}

// choose takes a plain key.
func (b *box) choose(key string) tea.Cmd {
	if key != "a" {
		b.awaits = false
	}
	switch key {
	case "esc", "q":
		return b.later()
	case "a":
		return b.accept()
	case "d":
		return b.settle(b.no(), func() (client.Answer, error) { return client.Decliner.Ask(context.Background(), b.one.Question), nil })
	case "c":
		if b.one.Method == mcp.ElicitationCreate {
			return b.settle("cancelled", func() (client.Answer, error) { return client.Dismiss(), nil })
		}
	case "e", "enter", "tab":
		if b.editing() != nil {
			return b.begin()
		}
	case "r":
		return b.editRaw()
	case "n":
		return b.of.next(b)
	case "o":
		if b.kind == wantsVisit {
			url := b.url
			return func() tea.Msg {
				if err := browse(url); err != nil {
					return pane.Failed(err)
				}
				return pane.SayMsg{Text: "given to the browser; a accepts, d declines", Severity: session.Info}
			}
		}
	case "y":
		if b.kind == wantsVisit {
			return pane.Tell(pane.CopyMsg{What: "the URL", Text: b.url})
		}
	default:
		b.page.Do(b.of.tab.Ctx.Keys.Moving(key))
	}
	return nil
}

// no is what declining does, in a word.
func (b *box) no() string {
	switch b.one.Method {
	case mcp.ElicitationCreate:
		return "declined"
	case mcp.RootsList:
		return "answered with no roots"
	}
	return "refused"
}

// editRaw opens the whole answer as JSON.
func (b *box) editRaw() tea.Cmd {
	if b.kind == wantsForm {
		if err := b.form.SetMode(form.Raw); err != nil {
			return b.of.tab.Say(session.Error, err.Error())
		}
		return b.begin()
	}
	if b.raw == nil {
		from := b.rawFrom
		switch {
		case b.kind == wantsVisit:
			from = `{"action":"accept"}`
		case from == "":
			from = `{}`
		}
		b.raw = form.New(form.Config{Title: "the whole answer", Values: []byte(from), Buttons: true})
		_ = b.raw.SetMode(form.Raw) // it is JSON
	}
	return b.begin()
}

// later puts the question aside: it goes on waiting.
func (b *box) later() tea.Cmd {
	b.stage = resting
	b.of.tab.Open(nil)
	return b.of.tab.Say(session.Info, "the question waits; "+b.of.answerKey()+" answers it")
}

// accept sends what was filled in, once it has been checked. What does not fit what the
// server asked for is said first, and sent by who insists.
func (b *box) accept() tea.Cmd {
	f := b.editing()
	switch {
	case f == nil && b.kind == wantsVisit:
		return b.settle("accepted", func() (client.Answer, error) { return client.Accept(nil), nil })
	case f == nil:
		return b.editRaw()
	case b.insists:
	case !f.Checked() && !b.awaits:
		b.awaits = true
		return nil
	case !f.Checked():
		b.awaits, b.insists = false, true
		return b.of.tab.Say(session.Warning, fmt.Sprintf("not checked yet; %s again sends it anyway", b.sender()))
	case !f.Valid():
		b.insists = true
		f.Tried()
		return b.of.tab.Say(session.Warning, fmt.Sprintf("not valid: %s; %s again sends it anyway", problemOf(f), b.sender()))
	}
	have, result := filled{f.Values(), f.Line()}, b.result
	if b.raw != nil {
		result = func(f filled) (client.Answer, error) { return rawAnswer(f.values) }
	}
	return b.settle("answered", func() (client.Answer, error) { return result(have) })
}

// sender is the key that sends the answer.
func (b *box) sender() string {
	if b.stage == filling {
		return keys.Word("ctrl+s")
	}
	return "a"
}

// problemOf is the first thing that is wrong in a form.
func problemOf(f *form.Form) string {
	list := f.Problems()
	if len(list) == 0 {
		return "something is wrong"
	}
	return text.OneLine(strings.Join(list[0].Path, ".") + " " + list[0].Text)
}

// A settledMsg says that a question has its answer, or could not be given it.
type settledMsg struct {
	word string
	err  error
	gone bool // gone: it was withdrawn meanwhile.
}

// settle makes the answer and gives it, in a command. Meanwhile the box takes no
// keys.
func (b *box) settle(word string, answer func() (client.Answer, error)) tea.Cmd {
	if b.settling {
		return nil
	}
	b.settling = true
	queue, one := b.of.queue(), b.one
	return b.of.tab.Addressed(b, func() tea.Msg {
		a, err := answer()
		if err != nil || queue == nil {
			return settledMsg{err: err}
		}
		return settledMsg{word: word, gone: !queue.Settle(one, a)}
	})
}

// urlParts shows a URL that a server wants visited: all of it, its host by
// itself, and what should make one think twice. "Clients MUST … show the full
// URL to the user for examination before consent … SHOULD highlight the domain …
// and warn about ambiguous or suspicious URIs, such as those containing Punycode"
// ([V4] client/elicitation §Safe URL Handling). It is neither fetched nor opened.
func urlParts(content string) []overlay.Part {
	parts := []overlay.Part{overlay.Strong.Of("It wants you to visit:"), overlay.URL.Of(text.Visible([]byte(content), maxSaid))}
	u, err := url.Parse(content)
	if err != nil || u.Host == "" {
		return append(parts, overlay.Warn.Of("This URL has no host."))
	}
	host := u.Hostname()
	parts = append(parts, overlay.Strong.Of("Its host is:"), overlay.Host.Of(text.Visible([]byte(u.Host), 500)))
	for _, words := range urlDoubts(u, host) {
		parts = append(parts, overlay.Warn.Of(words))
	}
	return parts
}

// urlDoubts are the reasons to distrust a URL.
func urlDoubts(u *url.URL, host string) []string {
	var doubts []string
	if strings.Contains("."+strings.ToLower(host), ".xn--") {
		doubts = append(doubts, "The host is written in Punycode: a browser shows it as other letters, which may look like those of another host.")
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		doubts = append(doubts, "The host has letters beyond ASCII, which may look like those of another host.")
	}
	if u.User != nil {
		doubts = append(doubts, "The text before the @ is not the host: "+text.Visible([]byte(u.User.Username()), 100))
	}
	ip := net.ParseIP(host)
	local := strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback() // It is this machine.
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		doubts = append(doubts, fmt.Sprintf("%s is not the web's scheme: another program would get the URL.", text.Visible([]byte(u.Scheme), 40)))
	case u.Scheme == "http" && !local:
		doubts = append(doubts, "The way there is not encrypted: http.")
	case ip != nil && !local:
		doubts = append(doubts, "The host is a bare address, which says nothing about whose it is.")
	}
	return doubts
}

// browse opens a URL of the web in the browser of the person: $BROWSER, else the
// system's. It does not wait for it.
func browse(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("only URLs of the web are opened; y copies this one")
	}
	if err := outside.Open(outside.Browser(), text); err != nil {
		return fmt.Errorf("no browser could be started: %w; y copies the URL", err)
	}
	return nil
}
