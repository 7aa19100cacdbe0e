package termtest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// TB is what a Session needs of a *testing.T or *testing.B.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Patience is how long a Session waits for what must come. A machine may be
// slow; a hang is an error. Time in which the whole test was stopped does not count.
const Patience = 3 * time.Minute

// SessionOptions say what the program finds.
type SessionOptions struct {
	Terminal Options
	Profile  colorprofile.Profile // Profile is the colours the program may use; Unknown = all.
	Env      []string             // Env is added to the environment that the program sees.
	Program  []tea.ProgramOption  // Program is added to the program's options.
}

// A Session is a Bubble Tea program that runs against a Terminal. Its methods
// may be called by several goroutines.
type Session struct {
	tb      TB
	program *tea.Program

	mu     sync.Mutex
	moved  *sync.Cond // moved is signalled when something below has changed.
	term   *Terminal
	input  [][]byte // input waits to be read by the program.
	marks  int      // marks counts the calls of Settle.
	closed bool     // closed: nothing is written to the program any more.
	over   bool     // over: the program has ended.
	model  tea.Model
	err    error
}

// Run starts a program against a terminal of w columns and h rows. It is ended
// when the test ends, if it has not ended by itself.
func Run(tb TB, model tea.Model, w, h int, opt SessionOptions) *Session {
	tb.Helper()
	opt.Terminal.Newline = true // no terminal driver translates what the program writes
	s := &Session{tb: tb, term: New(w, h, opt.Terminal)}
	s.moved = sync.NewCond(&s.mu)
	if opt.Profile == colorprofile.Unknown {
		opt.Profile = colorprofile.TrueColor
	}
	in, feed := io.Pipe()
	shown := &leased{model: model, read: make(chan struct{}, 1), ended: make(chan struct{})}
	s.program = tea.NewProgram(shown, append([]tea.ProgramOption{
		tea.WithInput(in), tea.WithOutput(s), tea.WithWindowSize(w, h),
		tea.WithEnvironment(append([]string{"TERM=xterm-256color", "COLORTERM=truecolor"}, opt.Env...)),
		tea.WithColorProfile(opt.Profile), tea.WithoutSignals(), tea.WithFPS(120),
	}, opt.Program...)...)
	var work sync.WaitGroup
	work.Go(func() { s.feed(feed) })
	work.Go(func() {
		_, err := s.program.Run()
		in.Close()
		s.mu.Lock()
		s.model, s.err, s.over, s.closed = shown.model, err, true, true
		s.moved.Broadcast()
		s.mu.Unlock()
		shown.seen()
	})
	tb.Cleanup(func() {
		s.mu.Lock()
		s.input = [][]byte{lastKey} // in place of what it has not been given yet
		s.moved.Broadcast()
		s.mu.Unlock()
		select {
		case <-shown.read:
		case <-time.After(time.Second): // The program is busy, over, or does not see the key.
		}
		s.program.Kill()
		work.Wait()
		shown.end()
		s.mu.Lock()
		s.model, s.term = nil, New(1, 1, opt.Terminal)
		s.mu.Unlock()
	})
	return s
}

// feed gives the program its input, piece by piece.
func (s *Session) feed(w *io.PipeWriter) {
	for {
		s.mu.Lock()
		for len(s.input) == 0 && !s.closed {
			s.moved.Wait()
		}
		if s.closed {
			s.mu.Unlock()
			w.Close()
			return
		}
		piece := s.input[0]
		s.input = s.input[1:]
		s.mu.Unlock()
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

// Write takes what the program writes.
func (s *Session) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.term.Write(p)
	if r := s.term.Replies(); len(r) > 0 {
		s.input = append(s.input, r)
	}
	s.moved.Broadcast()
	return n, err
}

// Send gives the program bytes as a terminal would.
func (s *Session) Send(p []byte) {
	s.mu.Lock()
	s.input = append(s.input, bytes.Clone(p))
	s.moved.Broadcast()
	s.mu.Unlock()
}

// Keys presses keys, named as Bubble Tea names them: "j", "ctrl+d", "enter".
func (s *Session) Keys(names ...string) {
	s.tb.Helper()
	for _, name := range names {
		b, err := Key(name)
		if err != nil {
			s.tb.Fatalf("%v", err)
		}
		s.Send(b)
	}
}

// Type types text, character by character.
func (s *Session) Type(text string) { s.Send([]byte(text)) }

// Paste pastes text.
func (s *Session) Paste(text string) { s.Send([]byte("\x1b[200~" + text + "\x1b[201~")) }

// Click presses and releases the left button on a cell.
func (s *Session) Click(x, y int) {
	s.Send(fmt.Appendf(nil, "\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1))
}

// Drag moves the pressed left button from a cell to another.
func (s *Session) Drag(x0, y0, x1, y1 int) {
	s.Send(fmt.Appendf(nil, "\x1b[<0;%d;%dM\x1b[<32;%d;%dM\x1b[<0;%d;%dm", x0+1, y0+1, x1+1, y1+1, x1+1, y1+1))
}

// Wheel turns the wheel over a cell by some notches, downwards positive.
func (s *Session) Wheel(x, y, notches int) {
	button := 65
	if notches < 0 {
		button, notches = 64, -notches
	}
	for range notches {
		s.Send(fmt.Appendf(nil, "\x1b[<%d;%d;%dM", button, x+1, y+1))
	}
}

// Message gives the program a message, as from its own goroutines.
func (s *Session) Message(msg tea.Msg) { s.program.Send(msg) }

// Resize changes the terminal's size.
func (s *Session) Resize(w, h int) {
	s.mu.Lock()
	s.term.Resize(w, h)
	s.mu.Unlock()
	s.program.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// Screen returns what is shown, each row ended by a line feed, without trailing
// blanks.
func (s *Session) Screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.String()
}

// Terminal calls f with the terminal, which does not change meanwhile.
func (s *Session) Terminal(f func(*Terminal)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.term)
}

// WaitFor waits until what is shown satisfies a condition.
func (s *Session) WaitFor(shown func(screen string) bool) {
	s.tb.Helper()
	if !s.wait(Patience, func() bool { return !s.term.Holding() && shown(s.term.String()) }) {
		s.fail("waited in vain")
	}
}

// WaitText waits until a text is shown.
func (s *Session) WaitText(text string) {
	s.tb.Helper()
	if !s.wait(Patience, func() bool { return !s.term.Holding() && strings.Contains(s.term.String(), text) }) {
		s.fail(fmt.Sprintf("waited in vain for %q", text))
	}
}

// WaitTerminal waits until the terminal satisfies a condition.
func (s *Session) WaitTerminal(is func(*Terminal) bool) {
	s.tb.Helper()
	if !s.wait(Patience, func() bool { return is(s.term) }) {
		s.fail("waited in vain")
	}
}

// Settle waits until the program has read all input that it was given before, and has drawn
// what it shows then. Commands may still run.
func (s *Session) Settle() {
	s.tb.Helper()
	s.mu.Lock()
	s.marks++
	title := markedTitle(s.marks)
	s.mu.Unlock()
	s.Send(markKey)
	s.WaitTerminal(func(term *Terminal) bool { return strings.HasSuffix(term.Title(), title) })
}

// WaitEnd waits until the program has ended, and returns its model and error.
func (s *Session) WaitEnd() (tea.Model, error) {
	s.tb.Helper()
	if !s.wait(Patience, func() bool { return s.over }) {
		s.fail("the program does not end")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model, s.err
}

// wait waits, with s.mu held during is, until it is so; false if the time is up
// or the program has ended before.
func (s *Session) wait(patience time.Duration, is func() bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := false
	defer after(patience, s.moved.Broadcast, func() {
		s.mu.Lock()
		late = true
		s.moved.Broadcast()
		s.mu.Unlock()
	})()
	for !is() {
		if late || s.over {
			return false
		}
		s.moved.Wait()
	}
	return true
}

// after calls late once we have run for a time, unless it is called off before, and again
// every now and then meanwhile: what is waited for may be a file, which moves nothing. Of the
// time in which we were stopped no more than a tick counts: the ticker drops the rest.
func after(patience time.Duration, again, late func()) (callOff func()) {
	const ticks = 1000
	off := make(chan struct{})
	tick := time.NewTicker(patience / ticks)
	go func() {
		defer tick.Stop()
		for range ticks {
			select {
			case <-tick.C:
				again()
			case <-off:
				return
			}
		}
		late()
	}()
	return func() { close(off) }
}

func (s *Session) fail(what string) {
	s.tb.Helper()
	s.mu.Lock()
	over, err, screen := s.over, s.err, s.term.String()
	s.mu.Unlock()
	if over {
		what += fmt.Sprintf("; the program has ended: %v", err)
	}
	s.tb.Fatalf("%s; the screen is:\n%s", what, screen)
}

// Golden waits until what is shown is what testdata/NAME.golden holds. When the
// test's flag -update is set it writes that file once the screen is at rest.
func (s *Session) Golden(name string) {
	s.tb.Helper()
	path := goldenPath(name)
	if updating() {
		s.rest()
		writeGolden(s.tb, path, s.Screen())
		return
	}
	want := readGolden(s.tb, path)
	if !s.wait(Patience/3, func() bool { return s.term.String() == want }) {
		s.tb.Errorf("%s differs; got:\n%s\nwant:\n%s", path, s.Screen(), want)
	}
}

// rest waits until nothing has been drawn for a while.
func (s *Session) rest() {
	const quiet = 400 * time.Millisecond
	for last := -1; ; time.Sleep(quiet) {
		frames := 0
		s.Terminal(func(t *Terminal) { frames = t.Frames() })
		if frames == last {
			return
		}
		last = frames
	}
}

// Golden compares text with testdata/NAME.golden, or writes that file when the
// test's flag -update, if it has one, is set.
func Golden(tb TB, name, got string) {
	tb.Helper()
	path := goldenPath(name)
	if updating() {
		writeGolden(tb, path, got)
		return
	}
	if want := readGolden(tb, path); got != want {
		tb.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}

func goldenPath(name string) string {
	return filepath.Join("testdata", filepath.FromSlash(name)+".golden")
}

func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func readGolden(tb TB, path string) string {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return string(text)
}

func writeGolden(tb TB, path, text string) {
	tb.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err = errors.Join(err, os.WriteFile(path, []byte(text), 0o644)); err != nil {
		tb.Fatalf("%v", err)
	}
}

// keySequences are the keys that are more than a character. Escape is sent as
// the kitty keyboard does: a lone ESC is not told from the beginning of another
// key but by waiting.
var keySequences = map[string]string{
	"enter": "\r", "tab": "\t", "space": " ", "backspace": "\x7f", "esc": "\x1b[27u", "shift+tab": "\x1b[Z",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS",
	"f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~", "f8": "\x1b[19~",
	"f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// letterKeys end in a letter, numberKeys in a tilde; a modifier goes before it.
var (
	letterKeys = map[string]byte{"up": 'A', "down": 'B', "right": 'C', "left": 'D', "end": 'F', "home": 'H'}
	numberKeys = map[string]int{"insert": 2, "delete": 3, "pgup": 5, "pgdown": 6}
)

// Key returns the bytes that a terminal sends for a key, named as Bubble Tea
// names it: "j", "G", "ctrl+d", "alt+x", "shift+tab", "pgdown", "ctrl+right".
func Key(name string) ([]byte, error) {
	if seq, ok := keySequences[name]; ok {
		return []byte(seq), nil
	}
	if utf8.RuneCountInString(name) == 1 {
		return []byte(name), nil
	}
	mod, base := 0, name
	for bit, prefix := range []string{"ctrl+", "alt+", "shift+"} { // the order of Bubble Tea's names
		if rest, ok := strings.CutPrefix(base, prefix); ok && rest != "" {
			mod, base = mod|4>>bit, rest
		}
	}
	return modified(name, base, mod)
}

// modified returns the bytes of a key with shift (1), alt (2) and ctrl (4).
func modified(name, base string, mod int) ([]byte, error) {
	if c, ok := letterKeys[base]; ok {
		if mod == 0 {
			return []byte{0x1b, '[', c}, nil
		}
		return fmt.Appendf(nil, "\x1b[1;%d%c", mod+1, c), nil
	}
	if n, ok := numberKeys[base]; ok {
		if mod == 0 {
			return fmt.Appendf(nil, "\x1b[%d~", n), nil
		}
		return fmt.Appendf(nil, "\x1b[%d;%d~", n, mod+1), nil
	}
	switch {
	case mod == 2:
		rest, err := Key(base)
		return append([]byte{0x1b}, rest...), err
	case mod == 4 && base == "space":
		return []byte{0}, nil
	case mod == 4 && len(base) == 1 && base[0] >= '@' && base[0] <= '~':
		return []byte{base[0] & 0x1f}, nil
	}
	return nil, fmt.Errorf("no key is named %q", name)
}
