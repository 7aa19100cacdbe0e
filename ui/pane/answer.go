package pane

import tea "charm.land/bubbletea/v2"

// An Answer brings what a command of a pane has found to that pane. Every pane sees
// it, as every message, and takes it with For.
type Answer struct {
	of   Pane
	take Then
}

// Then takes what a command has found. It is called where Update is.
type Then func(c *Context) tea.Cmd

// Work returns the command that does work, which may take its time, and afterwards
// lets p take what came of it. work must not touch the pane; nil = nothing came.
func Work(p Pane, work func() Then) tea.Cmd {
	return func() tea.Msg {
		if then := work(); then != nil {
			return Answer{p, then}
		}
		return nil
	}
}

// For takes the answer where it is p's.
func (a Answer) For(p Pane, c *Context) tea.Cmd {
	if a.of != p {
		return nil
	}
	return a.take(c)
}
