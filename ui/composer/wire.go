package composer

import (
	"bytes"
	"encoding/json"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/client"
	"wiretea/ui/composer/form"
	"wiretea/ui/overlay"
)

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
