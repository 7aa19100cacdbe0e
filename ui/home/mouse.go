package home

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/ui/keys"
)

// Mouse takes a click, which chooses a row, opens it where it is the second one,
// or the wheel.
func (h *Home) Mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		lines := 3
		if m.Button == tea.MouseWheelUp {
			lines = -3
		}
		switch {
		case h.sheet != nil:
			h.sheet.page.Wheel(lines)
		case h.help != nil:
			h.help.Move(lines)
		case h.asked == nil:
			h.move(lines)
			return h.judge()
		}
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft && h.sheet == nil && h.help == nil && h.asked == nil && !h.waits {
			return h.click(m.X, m.Y)
		}
	}
	return nil
}

// click takes a click on a cell of the screen.
func (h *Home) click(x, y int) tea.Cmd {
	line := y - listTop
	if line < 0 || line >= h.high {
		return nil
	}
	i := h.rowAt(h.top + line)
	if i < 0 {
		return nil
	}
	h.move(i - h.at)
	if h.clicks.Double(x, y, h.opt.Now()) {
		return h.do(keys.Enter)
	}
	return nil
}
