package session

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyMessagesInOneFrame puts more messages into one frame than are held, of every
// kind, on every stream, in every form in which a frame is recorded: stderr has no
// messages whatever it looks like, and the rest of a line that a gap cut has none.
func TestManyMessagesInOneFrame(t *testing.T) {
	const n = maxHeld + 1
	messages := map[string]string{
		"request":      request("7", "tools/call", `{"name":"x","_meta":{"progressToken":7}}`),
		"progress":     notification("notifications/progress", `{"progressToken":7,"progress":1}`),
		"cancelled":    notification("notifications/cancelled", `{"requestId":7}`),
		"initialized":  notification("notifications/initialized", `{}`),
		"task":         notification("notifications/tasks/status", `{"taskId":"7"}`),
		"notification": notification("x", `{}`),
		"result":       result("7", `{}`),
		"error":        failure("7", -32000),
		"invalid":      `{}`,
		"initialize":   request("7", "initialize", `{"protocolVersion":"2025-11-25"}`),
	}
	forms := map[string]func(d Stream, text string) []Record{
		"frame":  func(d Stream, text string) []Record { return []Record{frame(2, d, text)} },
		"raw":    func(d Stream, text string) []Record { return []Record{raw(2, d, text+"\n")} },
		"pieces": func(d Stream, text string) []Record { return []Record{raw(2, d, text[:99]), raw(3, d, text[99:]+"\n")} },
		"lines": func(d Stream, text string) []Record {
			return []Record{raw(2, d, strings.ReplaceAll(text, "},{", "},\n{")+"\n")}
		},
		"after gap": func(d Stream, text string) []Record {
			return []Record{raw(2, d, "x"), gap(2, d, 9), raw(3, d, text+"\n")}
		},
		"torn": func(d Stream, text string) []Record { return []Record{raw(2, d, text)} },
		"injected": func(d Stream, text string) []Record {
			r := frame(2, d, text)
			r.Way = WayOut
			return []Record{r}
		},
	}
	for kind, message := range messages {
		text := "[" + strings.TrimSuffix(strings.Repeat(message+",", n), ",") + "]"
		for form, records := range forms {
			for _, d := range Streams {
				t.Run(fmt.Sprint(kind, "/", form, "/", d), func(t *testing.T) {
					before := client(1, request("7", "tools/call", `{"name":"x","_meta":{"progressToken":7}}`))
					a, w := play(t, Config{}, append(append([]Record{before}, records(d, text)...), end(9))...)
					s := a.Snapshot()
					digest(s)
					count := len(w.only("message"))
					if (d == Stderr || form == "after gap") && (count != 1 || s.Totals().Exchanges != 1) {
						t.Errorf("%d messages, %d exchanges", count, s.Totals().Exchanges)
					}
					if d != Stderr && (form == "frame" || form == "raw" || form == "pieces") && count != 1+maxHeld {
						t.Errorf("%d messages", count)
					}
				})
			}
		}
	}
}
