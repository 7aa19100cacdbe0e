package pane

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"
)

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

// doubleClick is the longest time between the two clicks of one.
const doubleClick = 400 * time.Millisecond

// Clicks tells double clicks from single ones. The zero Clicks has seen none.
type Clicks struct {
	x, y int
	at   time.Time
}

// Double takes a click on a cell, and reports whether it is the second one of a
// double click. A third one is a single click again.
func (c *Clicks) Double(x, y int, now time.Time) bool {
	double := c.x == x && c.y == y && now.Sub(c.at) < doubleClick
	*c = Clicks{x: x, y: y, at: now}
	if double {
		*c = Clicks{}
	}
	return double
}

// longestEdit is how much is taken back from an editor, in bytes.
const longestEdit = 16 << 20

// ReadEdited reads a file that somebody has edited in the editor that EditMsg opened. It
// returns an error for one of more than 16 MiB.
func ReadEdited(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > longestEdit {
		return "", fmt.Errorf("%s is longer than what can be taken back", filepath.Base(path))
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// A Picture is an image in a pane that was drawn, with its place in the pane in cells.
type Picture struct {
	Image image.Image
	Area  image.Rectangle
}

// Pictured is implemented by panes that have images.
type Pictured interface {
	// Pictures are the images of the last View that are in sight as a whole. Where
	// Context.Graphics is set, their cells were drawn blank.
	Pictures() []Picture
}

// SaveMsg asks for the name of a file for the content that is selected. Name is a good one.
type SaveMsg struct{ Name string }

// OutsideMsg asks the person whether data is to be opened with another program.
type OutsideMsg struct {
	Kind   string // Kind is its MIME type, one that programs only show.
	Ending string // Ending is that of such files, as in ".png".
	Data   []byte
}

// PictureMsg tells the screen that a pane has images, so that the terminal is asked
// whether it draws them.
type PictureMsg struct{}
