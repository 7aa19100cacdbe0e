// Package ui is the full screen: one Bubble Tea model that routes, and panes.
//
//	Source (live or recording) ─ wake, coalesced ─► Screen.Update ─► focused pane / overlay ─► tea.Cmd
//	        │ Snapshot, Log                            │ keys.Table: key ► action
//	        └────────── pane.Context ──────────────────┴► View: header, panes, footer
//
// A session that is over can be shown as it stood at any moment: the panes then have a
// snapshot of that moment, and nothing else changes for them (past.go, play.go).
//
// The rules are:
//
//   - Screen is the only tea.Model. It owns the pane.Context, the layout, the
//     overlays and the routing; it holds no frames and knows no JSON. Panes are
//     structs with the few methods of pane.Pane; no pane knows another, they ask
//     for things with the messages of package pane.
//   - Update does no I/O, no JSON parsing and no loop over frames. Work goes into
//     a tea.Cmd, cancellable, with a generation number; stale answers are dropped.
//   - View is pure and costs O(screen).
//   - Nothing that carries traffic ever waits for the program: one goroutine turns
//     the source's wake-ups into messages, and only it may block.
//   - What a peer sent reaches the terminal through units.Visible and nothing else.
//   - What is done to somebody else's session is asked about first, in a question
//     that only a key opens; while it has an effect the header says so.
//   - Colour never says anything alone: a sign stands beside it.
package screen
