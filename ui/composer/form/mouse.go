package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/pane"
)

// paste puts text where the cursor is.
func (f *Form) paste(text string) tea.Cmd {
	if f.mode != Fields {
		if e := f.editor(); !e.paste(text) {
			f.notice = "the pasted text is too long"
			return nil
		}
		return f.check()
	}
	x := f.focus().field
	switch {
	case f.focus().kind == addRow:
		return f.addWith(tea.PasteMsg{Content: text})
	case x == nil || f.focus().kind != fieldRow:
		f.notice = "select a field to paste into"
		return nil
	case x.keying != nil:
		x.keying.paste(strings.TrimSpace(text))
		return nil
	case x.manner == asText || x.manner == asRaw:
	case x.manner == asNumber:
		text = strings.TrimSpace(text)
	default:
		f.notice = "this field takes no text; ctrl-t changes its type"
		return nil
	}
	if x.text == nil {
		x.text = newEditor("")
	}
	x.overtype()
	if !x.text.paste(text) {
		f.notice = "the pasted text is too long"
		return nil
	}
	return f.edited(x)
}

// click goes to the row that was clicked, and on what is chosen there already
// does what enter does.
func (f *Form) click(msg pane.ClickMsg) tea.Cmd {
	if f.mode != Fields || msg.Y < 0 || msg.Y >= len(f.seen.lines) {
		return nil
	}
	line := f.seen.lines[msg.Y]
	switch {
	case line.item >= 0 && f.menu != nil:
		f.menu.At = line.item
		if f.menu.of != nil {
			cmd, _ := f.checksKey("space")
			return cmd
		}
		return f.choose()
	case line.row < 0:
		return nil
	}
	x, was := f.rows[line.row].field, f.at
	f.stand(line.row)
	if f.rows[f.at].kind == fieldRow && (x.manner == asText || x.manner == asNumber || x.manner == asRaw) {
		return nil
	}
	if was == line.row || msg.Double || f.rows[f.at].kind != fieldRow {
		return f.enter()
	}
	return nil
}
