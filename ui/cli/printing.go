package cli

import (
	"io"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/plain"
)

// A printing prints a session that moves. moved and last are called from
// different goroutines, but never at once.
type printing struct {
	printer plain.Printer
	gone    func() // gone is called when nobody reads what is printed; nil = nobody wants to know.
	err     error
}

// newPrinting parses the filter, empty = all.
func newPrinting(out io.Writer, filter string, asJSON bool) (*printing, error) {
	p := &printing{printer: plain.Printer{Out: out, Colour: wantsColour(out), JSON: asJSON}}
	f, err := parseFilter(filter)
	p.printer.Filter = f
	return p, err
}

// parseFilter reads what was given with --filter; nil for nothing.
func parseFilter(text string) (*session.Filter, error) {
	if text == "" {
		return nil, nil
	}
	f, err := session.ParseFilter(text)
	if err != nil {
		return nil, usage("words are like m:tools/call d:s2c is:error lat>500ms size>64k sev>=warning b~\"rex\"", "filter: %w", err)
	}
	return f, nil
}

// moved prints what is new.
func (p *printing) moved(s *session.Snapshot, log recorder.Log) { p.print(s, log, false) }

// last prints what is left and returns the first error of all.
func (p *printing) last(s *session.Snapshot, log recorder.Log) error {
	p.print(s, log, true)
	return p.err
}

func (p *printing) print(s *session.Snapshot, log recorder.Log, last bool) {
	p.printer.Log = log
	if p.err != nil {
		return
	}
	if p.err = p.printer.Print(s, last); readerGone(p.err) && p.gone != nil {
		p.gone()
	}
}
