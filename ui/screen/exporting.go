package screen

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/recorder/redact"
	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
)

// exportWords are the recording, the forms of exports, and the streams.
func exportWords(*tab) []string { return append(export.Names(), "recording", "c2s", "s2c", "stderr") }

// askExport opens the list of forms of an export.
func (s *Screen) askExport() tea.Cmd {
	b := &overlay.Menu{Name: "export", Close: func() { s.Open(nil) }, Box: keyhelp.Box{Entries: s.exports("without secrets", "with everything")}}
	b.Find()
	s.Open(b)
	return nil
}

// exports adds the forms of an export, which a search finds.
func (b *helpBox) exports() {
	b.Entries = append(b.Entries, b.screen.exports("export", "export")...)
	for i := range b.Entries {
		if e := &b.Entries[i]; e.Group == "export" {
			e.Page, e.Keys, e.Also = "export", "export "+e.Keys, keys.Also("export")
		}
	}
}

// exports are the forms of an export under the names of their groups. Each opens the
// command line with the name of a file in it, to be changed or agreed to.
func (s *Screen) exports(shared, exact string) []keyhelp.Entry {
	name := exportName(s.tab().Source.Path())
	entry := func(group, word, ending, says string) keyhelp.Entry {
		return keyhelp.Entry{Keys: word, Text: says, Group: group, Do: func() tea.Cmd {
			return s.prompt.Fill(s.asked.command, "export "+word+" "+name+ending)
		}}
	}
	h := s.tab().Ctx.Snap.Header()
	all := []keyhelp.Entry{entry(shared, "recording", ".redacted"+recorder.Suffix, "the recording, to open, check, replay or serve it")}
	for _, f := range export.Formats {
		if f.Name == "curl" && (h == nil || h.Trans != "http") {
			continue
		}
		all = append(all, entry(shared, f.Name, f.Ending, f.Says))
	}
	return append(all, entry(exact, "c2s", ".c2s", "every byte that the client sent"), entry(exact, "s2c", ".s2c", "every byte that the server sent"),
		entry(exact, "stderr", ".stderr", "every byte on stderr"))
}

// exportName is the beginning of the name of a file that is exported.
func exportName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".mcpcap")
	if path == "" || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }) {
		return "session"
	}
	return name
}

// export writes the session in another form without its secrets, or one stream
// exactly as it crossed the wire.
func (s *Screen) export(t *tab, rest string) tea.Cmd {
	word, path, _ := strings.Cut(rest, " ")
	form, isForm := export.Lookup(word)
	stream, isStream := session.ParseStream(word)
	if path = strings.TrimSpace(path); path == "" || !isForm && !isStream && word != "recording" {
		return t.Say(session.Error, "export FORM FILE: "+strings.Join(exportWords(t), " "))
	}
	c := t.Ctx
	if isStream {
		return func() tea.Msg {
			n, err := writeNew(path, func(f *os.File) error { return export.Bytes(f, c.Log, export.Part{Stream: stream}) })
			return exported(word, path, n, err)
		}
	}
	what, rec := form.Name, export.Recording{Log: c.Log, Snap: c.Snap, Name: t.Source.Title(), Tool: "wiretea"}
	if len(c.Snap.Members()) > 0 && form.Alone != "" {
		return t.Say(session.Info, form.Name+" holds one session: "+form.Alone)
	}
	share := func(f *os.File) (*redact.Redactor, error) {
		return export.Cleaned(context.Background(), f, rec, form.Write, redact.Options{})
	}
	if !isForm {
		what, share = word, func(f *os.File) (*redact.Redactor, error) {
			r, err := redact.Learn(context.Background(), c.Log, redact.Options{})
			if err != nil {
				return nil, err
			}
			return r, r.Write(context.Background(), f)
		}
	}
	return func() tea.Msg {
		begun := false
		n, err := writeNew(path, func(f *os.File) error {
			begun = true
			r, err := share(f)
			if r == nil {
				return err
			}
			n := 0
			for _, k := range r.Summary() {
				n += k.Secrets
			}
			if n == 0 {
				what += ", no secrets found"
			} else {
				what += ", " + text.Plural(int64(n), "secret") + " replaced"
			}
			return err
		})
		if err != nil && begun {
			_ = os.Remove(path) // A part of it says nothing.
		}
		return exported(what, path, n, err)
	}
}
