package screen_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/ui/screen"
	"wiretea/ui/source"
)

// A million is a recording of a million frames.
type million struct {
	file *recorder.File
	snap *session.Snapshot
}

func (m *million) Title() string               { return "million" }
func (m *million) Snapshot() *session.Snapshot { return m.snap }
func (m *million) Log() recorder.Log           { return m.file }
func (m *million) Now() int64                  { return m.snap.Clock() }
func (m *million) Live() bool                  { return false }
func (m *million) Wake() <-chan struct{}       { return nil }
func (m *million) Path() string                { return m.file.Path() }
func (m *million) Reason() error               { return nil }

func newMillion(b *testing.B) *million {
	b.Helper()
	path := filepath.Join(b.TempDir(), "million.mcpcap.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(recordertest.Generate(f, recordertest.Options{Frames: 1_000_000, BodySize: 40}), f.Close()); err != nil {
		b.Fatal(err)
	}
	file, err := recorder.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = file.Close() }) // nothing is written to it
	a, r := session.NewAnalyzer(session.Config{Checkers: check.New()}), recorder.NewReader(file, 0)
	var rec session.Record
	for {
		err := r.Next(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		a.Add(&rec)
	}
	a.Close()
	return &million{file, a.Snapshot()}
}

// BenchmarkStepBack is over a million frames: from the key to the screen that shows the
// moment, with all that the panes read for it.
func BenchmarkStepBack(b *testing.B) {
	s := screen.New(screen.Options{Sources: []source.Source{newMillion(b)}, Dark: true})
	msgs := make(chan tea.Msg, 1024)
	under := 0 // under counts the commands under way.
	var take func(msg tea.Msg)
	run := func(cmd tea.Cmd) {
		if cmd != nil {
			under++
			go func() { msgs <- cmd() }()
		}
	}
	take = func(msg tea.Msg) {
		if list, ok := msg.(tea.BatchMsg); ok {
			for _, cmd := range list {
				run(cmd)
			}
			return
		}
		if msg != nil {
			_, cmd := s.Update(msg)
			run(cmd)
		}
	}
	// settle waits for all commands but those that wait for a time or a source.
	settle := func(waiting int) {
		for under > waiting {
			msg := <-msgs
			under--
			take(msg)
		}
		s.View()
	}
	take(tea.WindowSizeMsg{Width: 120, Height: 40})
	run(s.Init())
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); { // the list of all rows is made
		select {
		case msg := <-msgs:
			under--
			take(msg)
		case <-time.After(50 * time.Millisecond):
		}
	}
	key := func(name rune) {
		_, cmd := s.Update(tea.KeyPressMsg{Code: name, Text: string(name)})
		waits := under
		run(cmd)
		settle(waits)
	}
	key('G')
	key('h') // the history is made
	b.ResetTimer()
	for b.Loop() {
		key('h')
	}
}
