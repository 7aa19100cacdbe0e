package layout

import (
	"fmt"
	"slices"

	"wiretea/ui/keys"
)

// Actions are those that Do carries out.
var Actions = []keys.Action{keys.NextPane, keys.PrevPane, keys.ShowStderr, keys.ShowFinds, keys.Zoom, keys.Layout, keys.Grow, keys.Shrink}

// Do carries out an action, and returns what is to be said of it; empty = nothing.
func (l *Layout) Do(a keys.Action) (says string) {
	switch a {
	case keys.NextPane:
		l.turn(1)
	case keys.PrevPane:
		l.turn(-1)
	case keys.ShowStderr:
		return l.toggle(keys.Stderr, &l.HideStderr)
	case keys.ShowFinds:
		return l.toggle(keys.Findings, &l.HideFindings)
	case keys.Zoom:
		l.zoom()
	case keys.Layout:
		l.turnDetail()
	case keys.Grow:
		l.grow(l.Focus, 5)
	case keys.Shrink:
		l.grow(l.Focus, -5)
	}
	return ""
}

// turn gives the focus to the next pane that is shown.
func (l *Layout) turn(step int) {
	list := l.Shown()
	at := max(0, slices.Index(list, l.Focus))
	l.Focus = list[(at+step+len(list))%len(list)]
}

// Refocus gives the focus to another pane where the one that has it is not shown any more.
func (l *Layout) Refocus() {
	if list := l.Shown(); !slices.Contains(list, l.Focus) {
		l.Focus = list[0]
	}
}

func (l *Layout) isShown(scope keys.Scope) bool { return slices.Contains(l.Shown(), scope) }

// Show gives a pane the focus, and brings it up where it is hidden. It
// reports false, and does nothing, for a page.
func (l *Layout) Show(scope keys.Scope) bool {
	switch scope {
	case keys.Traffic, keys.Held:
	case keys.Detail:
		l.HideDetail = false
	case keys.Stderr:
		l.HideStderr = false
	case keys.Findings:
		l.HideFindings = false
	default:
		return false
	}
	l.Page = keys.Global
	if l.Zoom != keys.Global {
		l.Zoom = scope
	}
	l.Focus = scope
	// Where there is no room for it, it takes the whole screen.
	if !l.isShown(scope) {
		l.Zoom = scope
	}
	return true
}

// Open opens a page over the panes.
func (l *Layout) Open(page keys.Scope) { l.Page, l.Focus = page, page }

// toggle shows a pane with the focus; where it has that already, it hides it.
func (l *Layout) toggle(scope keys.Scope, hidden *bool) (says string) {
	if !l.isShown(scope) || l.Focus != scope {
		l.Show(scope)
		return ""
	}
	l.Focus = keys.Traffic
	if l.Zoom == scope {
		l.Zoom = keys.Global
		return ""
	}
	*hidden = true
	return fmt.Sprintf("%s hidden; %s shows it again", scope, l.keys.WordOf(keys.Action(scope), scope))
}

func (l *Layout) zoom() {
	switch {
	case l.Page != keys.Global:
	case l.Zoom != keys.Global:
		l.Zoom = keys.Global
		l.Refocus()
	default:
		l.Zoom = l.Focus
	}
}

// turnDetail goes round: detail beside, below, away.
func (l *Layout) turnDetail() {
	switch {
	case l.HideDetail:
		l.HideDetail, l.Below = false, false
	case !l.Below:
		l.Below = true
	default:
		l.HideDetail = true
		if l.Focus == keys.Detail {
			l.Focus = keys.Traffic
		}
	}
}

// IsOpen reports whether there is something that Back closes.
func (l *Layout) IsOpen() bool {
	return l.Page != keys.Global || l.Zoom != keys.Global || l.Focus != keys.Traffic
}

// Back closes a page, else a zoom, else it gives the focus to traffic; false = nothing was
// open.
func (l *Layout) Back() bool {
	switch {
	case l.Page != keys.Global:
		l.ToTraffic()
	case l.Zoom != keys.Global:
		l.zoom()
	case l.Focus != keys.Traffic:
		l.Focus = keys.Traffic
	default:
		return false
	}
	return true
}

// ToTraffic closes a page that covers the traffic.
func (l *Layout) ToTraffic() {
	if l.Page != keys.Global {
		l.Page, l.Focus = keys.Global, keys.Traffic
	}
}

// Uncover closes what covers the traffic: a page, and the zoom of another pane.
func (l *Layout) Uncover() {
	if l.Page != keys.Global || l.Zoom != keys.Global && l.Zoom != keys.Traffic {
		l.Page, l.Zoom, l.Focus = keys.Global, keys.Global, keys.Traffic
	}
}

// Vacant reports whether nothing is open that the page of differences would cover.
func (l *Layout) Vacant() bool {
	return l.Zoom == keys.Global && (l.Page == keys.Global || l.Page == keys.Compare)
}

// grow makes a pane larger, or with a negative step smaller, in percent.
func (l *Layout) grow(s keys.Scope, step int) {
	switch s {
	case keys.Traffic:
		l.Main = clamp(l.Main+step, minShare, maxShare)
	case keys.Detail:
		l.Main = clamp(l.Main-step, minShare, maxShare)
	case keys.Stderr, keys.Findings:
		l.Layout.Body = clamp(l.Layout.Body-step, minShare, maxShare)
	}
}
