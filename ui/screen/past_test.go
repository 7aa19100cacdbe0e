package screen_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wiretea/recorder"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// all reports whether a screen has all of some texts, and none of those that begin
// with "not ".
func all(texts ...string) func(screen string) bool {
	return func(screen string) bool {
		for _, text := range texts {
			if text, not := strings.CutPrefix(text, "not "); strings.Contains(screen, text) == not {
				return false
			}
		}
		return true
	}
}

// TestPast goes back in the time of a recording, and on, and shows the whole again.
func TestPast(t *testing.T) {
	s := show(t, 120, 40, screen.Options{}, recording(t))
	s.WaitFor(all("■ recording", "exit code 0"))
	steps := []struct {
		typed string
		keys  []string
		want  []string
	}{
		{":at 3s", []string{"enter"}, []string{"◷ past", "3.000 s of 6.002 s", "10:00:03.000", "2.4 s", "not brew: this takes", "✖ 1", "not exit code"}},
		{"", []string{"h"}, []string{"frame #15,", "0.600 s of"}},
		{"", []string{"W"}, []string{"0.300 s of", "frame #11,", "✖ 1", "not pour"}},
		{"", []string{"h"}, []string{"0.223 s of", "not ✖ 1", "not Server started", "Echo: hello"}},
		{"", []string{"H"}, []string{"0.112 s of", "frame #7,", "not Echo: hello"}},
		{"", []string{"L"}, []string{"0.223 s of", "frame #10,"}},
		{":18", []string{"enter"}, []string{"frame #18,", "6.000 s of"}},
		{":at -1s", []string{"enter"}, []string{"5.000 s of"}},
		{":at 10:00:04", []string{"enter"}, []string{"4.000 s of", "brew: this takes"}},
		{":at nonsense", []string{"enter"}, []string{"is not a time"}},
		{"", []string{"G"}, []string{"■ recording", "exit code 0", "not ◷ past", "not shows the whole"}},
	}
	for _, step := range steps {
		s.Type(step.typed)
		s.Keys(step.keys...)
		s.WaitFor(all(step.want...))
		sane(t, s)
		s.Terminal(func(term *termtest.Terminal) { lined(t, term) })
	}
}

// TestPastFiltered holds that a step goes to the next frame that the filter lets through, by its
// body too, and that it says where there is none.
func TestPastFiltered(t *testing.T) {
	s := show(t, 120, 40, screen.Options{}, recording(t))
	s.WaitFor(all("■ recording", "exit code 0"))
	for _, step := range []struct {
		typed string
		keys  []string
		want  []string
	}{
		{"fm:tools/call", []string{"enter"}, []string{"6 of 17"}},
		{"", []string{"G", "h"}, []string{"frame #17,"}},
		{"", []string{"h"}, []string{"frame #15,"}},
		{"", []string{"h", "h"}, []string{"frame #12,"}},
		{"", []string{"l"}, []string{"frame #13,"}},
		{":at 3s", []string{"enter"}, []string{"3.000 s of"}},
		{"", []string{"h"}, []string{"frame #15,"}},
		{"", []string{"l", "l"}, []string{"frame #17,", "no frame after this matches the filter"}},
		{":filter kettle", []string{"enter"}, []string{"traffic · kettle"}},
		{"", []string{"h"}, []string{"frame #14,"}},
		{"", []string{"h"}, []string{"no frame before this matches the filter"}},
	} {
		s.Type(step.typed)
		s.Keys(step.keys...)
		s.WaitFor(all(step.want...))
		sane(t, s)
	}
}

// TestPastStates holds whole screens of a moment of the past.
func TestPastStates(t *testing.T) {
	for _, size := range sizes {
		name := fmt.Sprintf("past-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := show(t, size[0], size[1], screen.Options{}, recording(t))
			s.WaitText("traffic")
			s.Type(":at 3s")
			s.Keys("enter")
			s.WaitFor(all("◷ past", "3.000 s of", "2.4"))
			s.Golden(name)
			s.Terminal(func(term *termtest.Terminal) { lined(t, term) })
		})
	}
}

// lined checks that the panes stand between header and the lines below them.
func lined(t *testing.T, term *termtest.Terminal) {
	t.Helper()
	w, h := term.Size()
	top := 1
	for text, _ := term.Cell(0, top); text != "╭" && top < 4; text, _ = term.Cell(0, top) {
		top++ // the line, or two, in which the cause of all is said
	}
	for y := top; y < h-2; y++ {
		for _, x := range []int{0, w - 1} {
			if text, _ := term.Cell(x, y); !strings.Contains("│┃╭╮╰╯", text) || text == "" {
				t.Errorf("row %d has %q in column %d:\n%s", y, text, x, term)
				return
			}
		}
	}
}

// TestPastWhileLive: what goes on is not gone back in.
func TestPastWhileLive(t *testing.T) {
	s := show(t, 120, 40, screen.Options{}, running(t))
	s.WaitText("brew")
	for _, key := range []string{"h", "L", "<"} {
		s.Keys(key)
		s.WaitText("the session is live")
		s.Type(":nonsense")
		s.Keys("enter")
		s.WaitText("unknown command")
	}
}

// A bubble drives a screen in time that is made up.
type bubble struct {
	t    *testing.T
	s    *screen.Screen
	msgs chan tea.Msg
	done chan struct{}
	wake chan struct{}
	seen int // seen counts the messages that came.
}

func newBubble(t *testing.T, src source.Source) *bubble {
	of := src.(*scripted)
	again := &scripted{written: of.written, title: of.title, path: of.path, wake: make(chan struct{}), ctx: of.ctx}
	b := &bubble{t: t, s: screen.New(screen.Options{Sources: []source.Source{again}, Dark: true}), msgs: make(chan tea.Msg), done: make(chan struct{}), wake: again.wake}
	b.s.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.run(b.s.Init())
	b.settle()
	return b
}

// end lets go what still waits.
func (b *bubble) end() {
	close(b.done)
	close(b.wake)
	time.Sleep(time.Minute) // what waits for a time has come by then
}

func (b *bubble) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		select {
		case b.msgs <- msg:
		case <-b.done:
		}
	}()
}

// settle takes what comes without time passing.
func (b *bubble) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-b.msgs:
			b.take(msg)
		default:
			return
		}
	}
}

func (b *bubble) take(msg tea.Msg) {
	if list, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range list {
			b.run(cmd)
		}
		return
	}
	if msg == nil {
		return
	}
	b.seen++
	_, cmd := b.s.Update(msg)
	b.s.View()
	b.run(cmd)
}

// pass lets time pass.
func (b *bubble) pass(d time.Duration) {
	end := time.After(d)
	for {
		select {
		case msg := <-b.msgs:
			b.take(msg)
		case <-end:
			b.settle()
			return
		}
	}
}

func (b *bubble) key(name string) {
	msg := tea.KeyPressMsg{Code: rune(name[0]), Text: name}
	switch name {
	case "space":
		msg = tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	case "esc":
		msg = tea.KeyPressMsg{Code: tea.KeyEscape}
	}
	b.take(msg)
	b.settle()
}

// shows holds what is on the screen.
func (b *bubble) shows(texts ...string) {
	b.t.Helper()
	if screen := ansi.Strip(b.s.View().Content); !all(texts...)(screen) {
		b.t.Fatalf("it does not show %q:\n%s", texts, screen)
	}
}

// TestPlay plays a recording at its own speed, faster, and as fast as possible, and
// draws no more than there is to be seen.
func TestPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, recording(t))
		defer b.end()
		b.pass(5 * time.Second)
		b.shows("■ recording", "not ◷ past") // nothing plays unasked
		b.key("g")
		b.key("space")
		b.shows("▶ 1×", "frame #1,", "not initialize")
		b.pass(41 * time.Millisecond)
		b.shows("initialize", "not tools/list")
		b.pass(480 * time.Millisecond)
		b.shows("pour", "kettle", "not call  brew")
		b.pass(1200 * time.Millisecond) // 1.72 s: brew waits, and its timer is drawn once a second
		b.shows("brew", " 1.0 s  102 B")
		b.seen = 0
		b.pass(2200 * time.Millisecond) // 3.92 s
		b.shows("not this takes a while")
		if b.seen > 15 {
			t.Errorf("%d messages in two seconds in which nothing happens", b.seen)
		}
		b.pass(100 * time.Millisecond)
		b.shows("this takes a while", "▶ 1×")
		b.key("space")
		b.shows("‖ 1×", "4.0")
		b.pass(10 * time.Second)
		b.shows("‖ 1×", "not exit code")
		b.key(">")
		b.shows("‖ 10×")
		b.key("space")
		b.pass(150 * time.Millisecond) // 5.5 s
		b.shows("▶ 10×", "not end of file")
		b.pass(time.Second)
		b.shows("‖ 10×", "6.002 s of 6.002 s", "exit code 0")
		b.key("space") // again, from the beginning
		b.shows("▶ 10×", "frame #1,", "not initialize")
		b.key("space")
		b.key("esc")
		b.shows("■ recording", "not ◷ past")
		b.key("g")
		for range 5 {
			b.key(">")
		}
		b.key("space")
		b.shows("▶ max")
		b.pass(2 * time.Second)
		b.shows("‖ max", "6.002 s of 6.002 s")
		b.pass(5 * time.Second) // what was said about speeds has gone
		b.seen = 0
		b.pass(10 * time.Second)
		if b.seen > 15 {
			t.Errorf("%d messages in ten idle seconds", b.seen)
		}
	})
}

// keeping is a recording at a path where notes can be kept.
func keeping(t *testing.T, dir string) *scripted {
	s := sourceOf(over(talk(t)), "old.mcpcap.jsonl")
	s.path = filepath.Join(dir, "old.mcpcap.jsonl")
	return s
}

// TestNotes marks and comments, and finds that again when the recording is opened the
// next time.
func TestNotes(t *testing.T) {
	dir := t.TempDir()
	first := keeping(t, dir)
	s := show(t, 120, 40, screen.Options{}, first)
	s.WaitText("■ recording")
	s.Type(":8")
	s.Keys("enter")
	s.WaitText("tools/call echo #8")
	s.Keys("m")
	s.WaitText("◆")
	s.Type(":11")
	s.Keys("enter")
	s.WaitText("#11")
	s.Keys(";")
	s.WaitFor(all(" ✎", "not is:"))
	s.Type("this kills Go clients")
	s.Keys("enter")
	s.WaitFor(func(screen string) bool { return strings.Count(screen, "✎ this kills Go clients") >= 1 })
	want := []recorder.Note{{N: 8, Mark: true}, {N: 11, Text: "this kills Go clients"}}
	s.WaitFor(func(string) bool {
		list, err := recorder.ReadNotes(first.path)
		return err == nil && cmp.Equal(want, list, cmpopts.IgnoreFields(recorder.Note{}, "At"))
	})
	s.Keys("ctrl+c")
	if _, err := s.WaitEnd(); err != nil {
		t.Fatal(err)
	}

	s = show(t, 120, 40, screen.Options{}, keeping(t, dir))
	s.WaitFor(all("✎ this kills Go", "◆"))
	s.Type(":filter is:marked")
	s.Keys("enter")
	s.WaitFor(all("2 of ", "not kettle", "Server started!"))
	s.Keys("g", "m") // the mark goes, and with it the row
	s.WaitFor(all("1 of 17", "not ◆"))
	s.Keys(";", "ctrl+u", "enter")
	s.WaitFor(func(string) bool { list, err := recorder.ReadNotes(first.path); return err == nil && len(list) == 0 })
	s.WaitText("no row matches")
}

// TestCommentOnWhatWasSelected holds that a comment is on the row that was selected when it was
// asked for, although the cursor goes to a newer one while it is typed.
func TestCommentOnWhatWasSelected(t *testing.T) {
	src := sourceOf(talk(t), "node server.js")
	src.path = filepath.Join(t.TempDir(), "new.mcpcap.jsonl")
	s := show(t, 120, 40, screen.Options{}, src)
	s.WaitFor(all("brew", "following"))
	s.Keys(";")
	s.WaitFor(all("\n ✎"))
	src.written.Client(7000, `{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	src.more()
	s.WaitFor(all("ping"))
	s.Type("the kettle leaks")
	s.Keys("enter")
	s.WaitFor(func(string) bool {
		list, err := recorder.ReadNotes(src.path)
		return err == nil && len(list) == 1 && list[0].N == 15
	})
}

// TestNotesOfAnother: notes on another session are neither shown nor added to.
func TestNotesOfAnother(t *testing.T) {
	dir := t.TempDir()
	src := keeping(t, dir)
	if err := recorder.AppendNote(src.path, "somebody else's", recorder.Note{N: 8, Mark: true}); err != nil {
		t.Fatal(err)
	}
	s := show(t, 120, 40, screen.Options{}, src)
	s.WaitText("are on another session")
	s.Type(":11")
	s.Keys("enter")
	s.WaitText("#11")
	s.Keys("m")
	s.WaitText("◆")
	if list, err := recorder.ReadNotes(src.path); len(list) != 1 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

// TestPastOnHostile: going anywhere in sessions of every shape draws whole screens.
func TestPastOnHostile(t *testing.T) {
	empty := panetest.New(t)
	empty.End()
	for name, src := range map[string]source.Source{"empty": sourceOf(empty, "empty"), "short": sourceOf(over(handshakeOf(t, initialize)), "short"), "whole": recording(t)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, src)
				defer b.end()
				for _, size := range [][2]int{{120, 40}, {80, 24}, {20, 5}, {40, 10}} {
					b.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					for _, key := range []string{"h", "h", "H", "W", "l", "L", "[", "w", "space", "s", "T", "P", "P", "!", "k", "f", "esc", "space", "esc", "esc", "g"} {
						b.key(key)
						lines := strings.Split(b.s.View().Content, "\n")
						if len(lines) > size[1] {
							t.Fatalf("%d lines after %s", len(lines), key)
						}
						for i, line := range lines {
							if n := ansi.StringWidth(line); n > size[0] {
								t.Fatalf("line %d has %d cells after %s: %q", i, n, key, line)
							}
						}
					}
				}
			})
		})
	}
}
