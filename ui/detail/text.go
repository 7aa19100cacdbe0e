package detail

import (
	"bytes"
	"context"
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/highlight"
	"wiretea/ui/jsonview"
	"wiretea/ui/pane"
)

// A decoded is a string of a frame, shown decoded in place of the frame. The zero value
// shows nothing.
type decoded struct {
	row  uint32
	path string // path is where the string is in the frame.
	view *jsonview.View
}

// textReach is how far into a frame a string with several lines is looked for.
const textReach = 1 << 20

// noText says why there is no string to show as text, empty = there may be one.
func (p *Pane) noText() string {
	if p.tab() == contentTab {
		return ""
	}
	if v := p.view(); p.text.view == nil && (v == nil || v.Empty() || v.Document().Kind() != jsonview.JSON) {
		return "no JSON here"
	}
	return ""
}

// toggleText shows the string under the cursor as text: else the first string with
// several lines. Where a text is shown, it shows the frame again.
func (p *Pane) toggleText() tea.Cmd {
	if p.tab() == contentTab {
		p.source = !p.source
		return nil
	}
	if p.text.view != nil {
		p.text = decoded{}
		return nil
	}
	v := p.view()
	if p.noText() != "" {
		return nil
	}
	value := v.Value()
	if len(value) == 0 || value[0] != '"' {
		body := v.Document().Body()
		if at := bytes.Index(body[:min(len(body), textReach)], []byte(`\n`)); at >= 0 {
			v.Reveal(at)
			value = v.Value()
		}
	}
	if len(value) == 0 || value[0] != '"' {
		return pane.Notify("move to a string first")
	}
	row, path := p.sub.frame(p.tab()), v.Path()
	return pane.Work(p, func() pane.Then {
		var s string
		if err := json.Unmarshal(value, &s); err != nil {
			return func(*pane.Context) tea.Cmd { return pane.Tell(pane.Failed(err)) }
		}
		spans := highlight.Text(s, highlight.Language(s))
		doc, err := jsonview.Index(context.Background(), []byte(s), jsonview.Options{Spans: spans})
		return func(c *pane.Context) tea.Cmd { return p.showText(c, row, path, doc, err) }
	})
}

// showText shows the string that is at a path of a row, where its frame is still
// shown.
func (p *Pane) showText(c *pane.Context, row uint32, path string, doc *jsonview.Document, err error) tea.Cmd {
	switch {
	case err != nil:
		return pane.Tell(pane.Failed(err))
	case row != p.sub.frame(p.tab()) || formOf(p.tab()) != pretty:
		return nil
	}
	v := jsonview.New()
	v.Resize(p.bodySize())
	v.SetSearch(c.Search.Text)
	v.SetWrap(true)
	v.Show(doc)
	p.text = decoded{row: row, path: path, view: v}
	return nil
}
