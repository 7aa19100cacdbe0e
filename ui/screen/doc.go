// Package screen is the full screen: one Bubble Tea model that routes.
//
//	key, mouse ─► overlay, prompt, composer, else keys.Table: key ► action ─► part of the tab ─► tea.Cmd
//	message    ─► handlers: type ► the screen's; else its addressee
//	View       ─► header, panes where package layout puts them, overlay, footer
//
// A tab is a session with the parts that act on it: its panes and what they read (package
// host), timeline, requests, questions, composer, intercept, comparing. What all tabs share are
// parts as well: layout, preferences, tour, pictures, leaving,
// prompt. The parts know the screen as host.Screen.
//
// The rules are:
//
//   - Screen and Shell are the only tea.Models. Screen owns the overlay and the
//     routing; it holds no frames and knows no JSON. No pane knows another; they
//     ask for things with the messages of package pane.
//   - The result of a command has an addressee, host.AddressedMsg: it reaches the part
//     whose command it was, and no other.
//   - Update does no I/O, no JSON parsing and no loop over frames. Work goes into
//     a tea.Cmd, cancellable, with a generation number; stale answers are dropped.
//   - View is pure and costs O(screen).
//   - Nothing that carries traffic ever waits for the program: one goroutine turns
//     the source's wake-ups into messages, and only it may block.
//   - What a peer sent reaches the terminal through format.Visible and nothing else.
//   - What is done to a session of another client is confirmed first, in a question
//     that only a key opens; while it has an effect the header says so.
//   - Colour never says anything alone: a sign is beside it.
package screen
