package screen_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termimage"
	"wiretea/ui/termtest"
)

// written is what a program wrote to its terminal.
type written struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) { w.mu.Lock(); defer w.mu.Unlock(); return w.b.Write(p) }
func (w *written) String() string              { w.mu.Lock(); defer w.mu.Unlock(); return w.b.String() }

// wait waits until a text was written after what is passed over.
func (w *written) wait(t *testing.T, after int, text string) {
	t.Helper()
	for deadline := time.Now().Add(termtest.Patience); !strings.Contains(w.String()[after:], text); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%q was not written", text)
		}
	}
}

func (w *written) len() int { return len(w.String()) }

// pictured is a session with a call that answers with an image.
func pictured(t testing.TB) *panetest.Session {
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewRGBA(image.Rect(0, 0, 16, 16))); err != nil {
		t.Fatal(err)
	}
	s := handshake(panetest.New(t))
	s.Client(300, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"draw"}}`)
	s.Server(310, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"image","mimeType":"image/png","data":%q}]}}`, base64.StdEncoding.EncodeToString(file.Bytes())))
	return s
}

// TestTerminalDraws holds that a terminal is asked once an image is in sight, that it
// draws the image where it can, and that it is taken away with its row.
func TestTerminalDraws(t *testing.T) {
	for name, tt := range map[string]struct{ answers, draws, clears string }{
		"kitty":  {"\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.40)\x1b\\\x1b[6;18;9t\x1b[?62;c", "a=T", "a=d"},
		"iTerm2": {"\x1bP>|iTerm2 3.5.0\x1b\\\x1b[6;18;9t\x1b[?62;4c", "\x1b]1337;File=", ""},
		"sixels": {"\x1bP>|foot(1.20)\x1b\\\x1b[6;18;9t\x1b[?62;4c", "\x1bP0;1", ""},
		"none":   {"\x1bP>|tmux 3.3a\x1b\\\x1b[?62;c", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, keys := io.Pipe()
			defer keys.Close()
			out := &written{}
			model := screen.New(screen.Options{Sources: []source.Source{sourceOf(pictured(t), "draws")}})
			p := tea.NewProgram(model, tea.WithInput(in), tea.WithOutput(out), tea.WithWindowSize(120, 40), tea.WithColorProfile(colorprofile.TrueColor),
				tea.WithContext(t.Context()), tea.WithoutSignals(), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
			done := make(chan struct{})
			go func() { defer close(done); _, _ = p.Run() }()
			defer func() { p.Kill(); <-done }()

			out.wait(t, 0, termimage.Ask)
			out.wait(t, 0, "▀") // Until it has answered, two pixels are a cell.
			fmt.Fprint(keys, tt.answers)
			if tt.draws == "" {
				at := out.len()
				fmt.Fprint(keys, "k")
				out.wait(t, at, "draw")
				return
			}
			out.wait(t, 0, tt.draws)
			at := out.len()
			fmt.Fprint(keys, "g") // the first row, which has no image
			if tt.clears != "" {
				out.wait(t, at, tt.clears)
			} else {
				out.wait(t, at, "wiretea") // The whole screen is drawn anew.
			}
		})
	}
}

// TestNoColourAsksNothing holds that without colours no terminal is asked for graphics.
func TestNoColourAsksNothing(t *testing.T) {
	s := show(t, 120, 40, screen.Options{NoColour: true}, sourceOf(pictured(t), "draws"))
	s.WaitText("png 16×16")
	sane(t, s)
}

// TestSavesContent holds that an image of the content is saved to a new file, and opened
// outside only after a question.
func TestSavesContent(t *testing.T) {
	t.Chdir(t.TempDir())
	s := show(t, 120, 40, screen.Options{NoColour: true}, sourceOf(pictured(t), "draws"))
	s.WaitText("png 16×16")
	s.Keys("tab", "G", "ctrl+s")
	s.WaitText(":save image.png")
	s.Keys("enter")
	s.WaitText("/image.png (the content, ")
	data, err := os.ReadFile("image.png")
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Dx() != 16 {
		t.Errorf("what was saved: %v", err)
	}
	s.Type(":save image.png\r") // It is not overwritten.
	s.WaitText("exists")
	s.Keys("esc", "o")
	s.WaitText("open outside?")
	s.WaitText("image/png")
	s.Keys("n")
	waitGone(s, "open outside?")
	if left, _ := filepath.Glob("*"); len(left) != 1 {
		t.Errorf("files: %v", left)
	}
}
