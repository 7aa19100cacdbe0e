package screen

import (
	"context"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/export"
	"wiretea/recorder/redact"
	sharing "wiretea/recorder/share"
	"wiretea/session"
	"wiretea/ui/format"
)

// exportWords are the forms of exports, and the streams.
func exportWords(*tab) []string { return append(export.Names(), "c2s", "s2c", "stderr") }

// askExport opens the line in which an export is chosen.
func (s *Screen) askExport() tea.Cmd {
	cmd := s.ask(commandPrompt)
	s.prompt.set("export ")
	s.prompt.choices = s.completions(commandPrompt, "export ")
	return cmd
}

// export writes the session in another form without its secrets, or one stream
// exactly as it crossed the wire.
func (t *tab) export(rest string) tea.Cmd {
	word, path, _ := strings.Cut(rest, " ")
	form, isForm := export.Lookup(word)
	stream, isStream := session.ParseStream(word)
	if path = strings.TrimSpace(path); path == "" || !isForm && !isStream {
		return t.Say(session.Error, "export "+strings.Join(exportWords(t), "|")+" FILE")
	}
	c := t.Ctx
	if !isForm {
		return func() tea.Msg {
			n, err := writeNew(path, func(f *os.File) error { return export.Bytes(f, c.Log, export.Part{Stream: stream}) })
			return exported(word, path, n, err)
		}
	}
	rec := export.Recording{Log: c.Log, Snap: c.Snap, Name: t.Source.Title(), Tool: "wiretea"}
	return func() tea.Msg {
		what, begun := form.Name, false
		n, err := writeNew(path, func(f *os.File) error {
			begun = true
			r, err := sharing.Write(context.Background(), f, rec, form, redact.Options{})
			if r == nil {
				return err
			}
			n := 0
			for _, k := range r.Summary() {
				n += k.Secrets
			}
			if n == 0 {
				what += ", in which no secrets were found,"
			} else {
				what += ", " + format.Plural(int64(n), "secret") + " replaced,"
			}
			return err
		})
		if err != nil && begun {
			_ = os.Remove(path) // A part of it says nothing.
		}
		return exported(what, path, n, err)
	}
}
