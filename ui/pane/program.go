package pane

import tea "charm.land/bubbletea/v2"

// A ProgramMsg asks the root model to run a command whose message is for Bubble Tea
// itself, such as tea.Suspend. Such a message must not be wrapped.
type ProgramMsg struct{ Cmd tea.Cmd }

// Program returns the command that asks for cmd to be run by the root model.
func Program(cmd tea.Cmd) tea.Cmd { return Tell(ProgramMsg{cmd}) }

// Wrap returns a command that gives wrap of each message of cmd. What is for Bubble Tea
// itself has to be a Program.
func Wrap(cmd tea.Cmd, wrap func(tea.Msg) tea.Msg) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil:
			return nil
		case tea.BatchMsg:
			all := make(tea.BatchMsg, len(msg))
			for i, one := range msg {
				all[i] = Wrap(one, wrap)
			}
			return all
		default:
			return wrap(msg)
		}
	}
}

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
