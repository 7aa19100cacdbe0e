package inventory

import (
	"fmt"
	"strconv"
	"time"

	"wiretea/session"
	"wiretea/ui/format"
)

// A Held is a message that waits for a decision, for programs.
type Held struct {
	ID       uint64    `json:"id"`
	From     string    `json:"from"` // From is client or server.
	Kind     string    `json:"kind"`
	Method   string    `json:"method,omitempty"`
	Target   string    `json:"target,omitempty"`
	Message  string    `json:"messageId,omitempty"`
	Batch    bool      `json:"batch,omitempty"`
	Size     int       `json:"size"` // Size is in bytes.
	Since    time.Time `json:"since"`
	Deadline time.Time `json:"deadline,omitzero"` // Deadline is zero where the message waits for ever.
	Then     string    `json:"then,omitempty"`    // Then is release or deny: what happens at Deadline.
	By       string    `json:"by"`
	Rule     string    `json:"rule,omitempty"`
	Ask      bool      `json:"ask,omitempty"`
	Reason   string    `json:"reason,omitempty"`
}

// NewHeld returns a message that waits, for programs. Its texts are verbatim.
func NewHeld(h *session.Held) Held {
	out := Held{h.ID, sender(h.Stream), h.Kind.String(), h.Method, h.Target, h.MessageID, h.Batch, h.Size, h.Since, h.Deadline, "", h.By, h.Rule, h.Ask, h.Reason}
	if !h.Deadline.IsZero() {
		if out.Then = "release"; h.Deny {
			out.Then = "deny"
		}
	}
	return out
}

// HeldTable is a table of messages that wait, a line for each below the head, safe to
// print.
func HeldTable(held []session.Held) []string {
	table := format.Table{Right: []int{0, 3}}
	table.Add("#", "from", "message", "size", "waits", "left", "held by")
	for _, h := range held {
		table.Add(strconv.FormatUint(h.ID, 10), sender(h.Stream), heldWords(&h), format.Size(int64(h.Size)), format.Wait(time.Since(h.Since)), heldLeft(&h), format.Line(h.By))
	}
	return table.Lines()
}

// HeldLine is a message that waits, in one line that is safe to print.
func HeldLine(h *session.Held) string {
	text := fmt.Sprintf("#%d  %s  %s  %s", h.ID, sender(h.Stream), heldWords(h), format.Size(int64(h.Size)))
	if rest := heldLeft(h); rest != "" {
		text += "  " + rest
	}
	text += "  " + format.Line(h.By)
	if h.Reason != "" {
		text += ": " + format.Line(h.Reason)
	}
	return text
}

// sender says whose message it is.
func sender(s session.Stream) string {
	if s == session.C2S {
		return "client"
	}
	return "server"
}

// heldWords name a message: its method and its target.
func heldWords(h *session.Held) string {
	text := h.Method
	switch {
	case h.Batch:
		text = "batch with " + text
	case h.Kind == session.RowResult:
		text = "result of " + text
	case h.Kind == session.RowError:
		text = "error of " + text
	}
	if h.Target != "" {
		text += " " + h.Target
	}
	return format.Visible([]byte(text), 120)
}

// heldLeft says how long a message still waits, and what happens then; empty = for ever.
func heldLeft(h *session.Held) string {
	if h.Deadline.IsZero() {
		return ""
	}
	then := "then released"
	if h.Deny {
		then = "then denied"
	}
	return format.Wait(max(time.Until(h.Deadline), 0)) + ", " + then
}
