package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"wiretea/recorder/inventory"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// An approver shows what waits in a session, as it comes, and asks a person about it where
// there is one.
type approver struct {
	place session.Intercept
	in    io.Reader // in is where a person answers; nil = there is none.
	out   io.Writer
	errw  io.Writer
	json  bool

	seen  map[uint64]bool // seen are the messages that were shown.
	asked *session.Held   // asked is the one that the person is asked about; nil = none is.
	later map[uint64]bool // later are those that the person does not want to decide on.
	why   bool            // why: the person denies it, and is asked why.
}

// follow shows and asks until the session, ctx or the input ends.
func (a *approver) follow(ctx context.Context) error {
	a.seen, a.later = map[uint64]bool{}, map[uint64]bool{}
	var lines <-chan string
	if a.in != nil {
		lines = client.ReadLines(ctx, a.in, nil)
		fmt.Fprintln(a.errw, "wiretea: waiting for messages that the policy asks about; ctrl-c ends")
	}
	for {
		select {
		case _, more := <-a.place.Changed():
			if !more {
				fmt.Fprintln(a.errw, "wiretea: the session has ended")
				return nil
			}
			if err := a.look(ctx); err != nil {
				return err
			}
		case line, more := <-lines:
			if !more {
				return nil
			}
			if err := a.answer(ctx, line); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// look shows what is new, and what has been decided on, and asks about the next one.
func (a *approver) look(ctx context.Context) error {
	state := a.place.State()
	waits := func(id uint64) bool {
		return slices.ContainsFunc(state.Held, func(h session.Held) bool { return h.ID == id })
	}
	if a.asked != nil && !waits(a.asked.ID) {
		fmt.Fprintf(a.errw, "\nwiretea: #%d is decided: %s\n", a.asked.ID, term.Visible(state.Last))
		a.asked, a.why = nil, false
	}
	for id := range a.seen {
		if !waits(id) {
			delete(a.seen, id)
			delete(a.later, id)
			if a.json {
				fmt.Fprintf(a.out, "{\"id\":%d,\"decided\":true}\n", id)
			}
		}
	}
	for _, h := range state.Held {
		if h.Rule == "" || a.seen[h.ID] {
			continue // What a screen holds is for that screen.
		}
		switch {
		case a.json:
			if err := writeHeld(a.out, []session.Held{h}); err != nil {
				return err
			}
		case a.in == nil:
			if _, err := fmt.Fprintln(a.out, inventory.HeldLine(&h)); err != nil {
				return err
			}
		default:
			continue
		}
		a.seen[h.ID] = true
	}
	return a.ask(ctx, state)
}

// preview is how much of a message is shown, in columns.
const preview = 600

// ask asks about the oldest message that was not asked about.
func (a *approver) ask(ctx context.Context, state *session.InterceptState) error {
	if a.in == nil || a.asked != nil {
		return nil
	}
	at := slices.IndexFunc(state.Held, func(h session.Held) bool { return h.Rule != "" && !a.later[h.ID] })
	if at < 0 {
		return nil
	}
	h := state.Held[at]
	text, err := a.place.Text(ctx, h.ID)
	if errors.Is(err, session.ErrNotHeld) {
		return nil // A new state says so.
	}
	if err != nil {
		return err
	}
	a.asked = &h
	a.seen[h.ID] = true
	fmt.Fprintf(a.errw, "%s\n  %s\n", inventory.HeldLine(&h), format.Visible(text, preview))
	a.prompt()
	return nil
}

func (a *approver) prompt() {
	if a.why {
		fmt.Fprint(a.errw, "  why (may be empty)? ")
		return
	}
	fmt.Fprint(a.errw, "  let it go on? [y]es, [n]o, [l]ater: ")
}

// answer takes a line of the person's.
func (a *approver) answer(ctx context.Context, line string) error {
	if a.asked == nil {
		return nil
	}
	line = strings.TrimSpace(line)
	choice := session.Choice{Verb: session.Release}
	switch word := strings.ToLower(line); {
	case a.why:
		choice = session.Choice{Verb: session.Deny, Reason: line}
	case word == "y", word == "yes":
	case word == "n", word == "no":
		a.why = true
		a.prompt()
		return nil
	case word == "l", word == "later":
		a.later[a.asked.ID] = true
		a.asked = nil
		return a.ask(ctx, a.place.State())
	default:
		a.prompt()
		return nil
	}
	id := a.asked.ID
	a.asked, a.why = nil, false
	a.later[id] = true // It is decided on: the state that says so may come later.
	err := a.place.Decide(ctx, []uint64{id}, choice)
	switch {
	case errors.Is(err, session.ErrNotHeld):
		fmt.Fprintf(a.errw, "wiretea: #%d was decided on before: %s\n", id, term.Visible(a.place.State().Last))
	case err != nil:
		return err
	}
	return a.ask(ctx, a.place.State())
}

// writeHeld writes messages as JSON, one a line.
func writeHeld(w io.Writer, held []session.Held) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, h := range held {
		if err := enc.Encode(inventory.NewHeld(&h)); err != nil {
			return err
		}
	}
	return nil
}
