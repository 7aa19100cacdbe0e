package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// A tool is one of the demo's tools.
type tool struct {
	name, title, description string
	input                    string // input is the input schema's text.
	output                   string // output is the output schema's text, empty = none.
	mirrored                 string // mirrored is an argument that a header field mirrors in modern HTTP; empty = none.
	readOnly                 bool
	task                     bool // task: it must run as a task, if tasks are supported.
	call                     func(s *server, r *request, args json.RawMessage)
}

// toolTable is ordered by name, the same in each listing.
func toolTable() []tool {
	return []tool{
		{
			name: "add", title: "Add", description: "Adds two numbers; has structured output",
			input:    `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`,
			output:   `{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`,
			readOnly: true, call: (*server).add,
		},
		{
			name: "brew", title: "Brew", description: "Brews tea as a task; poll it for progress, or cancel it",
			input: `{"type":"object","properties":{"tea":{"type":"string","enum":["green","black","herbal"],"default":"green"},` +
				`"seconds":{"type":"number","minimum":0,"maximum":600,"default":4}}}`,
			mirrored: "tea", readOnly: true, task: true, call: (*server).brew,
		},
		{
			name: "echo", title: "Echo", description: "Returns its message",
			input:    `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`,
			readOnly: true, call: (*server).echo,
		},
		{
			name: "fail", title: "Fail", description: "Fails with an isError result",
			input:    `{"type":"object"}`,
			readOnly: true, call: (*server).failTool,
		},
		{
			name: "log", title: "Log", description: "Sends a log message, if the client wants messages of that level",
			input:    `{"type":"object","properties":{"level":{"type":"string","enum":["debug","info","notice","warning","error","critical","alert","emergency"]},"text":{"type":"string"}}}`,
			readOnly: true, call: (*server).logTool,
		},
		{
			name: "order", title: "Order", description: "Asks you which tea you would like, in a form",
			input:    `{"type":"object"}`,
			readOnly: true, call: asker(formQuestion),
		},
		{
			name: "pay", title: "Pay", description: "Asks you to visit a URL",
			input:    `{"type":"object"}`,
			readOnly: true, call: asker(visitQuestion),
		},
		{
			name: "roots", title: "Roots", description: "Asks the client for its roots",
			input:    `{"type":"object"}`,
			readOnly: true, call: asker(rootsQuestion),
		},
		{
			name: "slow", title: "Slow", description: "Slow, reports progress, and can be cancelled",
			input:    `{"type":"object","properties":{"seconds":{"type":"number","minimum":0,"maximum":60},"steps":{"type":"integer","minimum":1,"maximum":100}}}`,
			readOnly: true, call: (*server).slow,
		},
		{
			name: "think", title: "Think", description: "Asks the client's model for a line about tea",
			input:    `{"type":"object"}`,
			readOnly: true, call: asker(thinkQuestion),
		},
		{
			name: "touch", title: "Touch", description: "Changes the note " + noteURI + " and notifies its subscribers",
			input: `{"type":"object"}`,
			call:  (*server).touch,
		},
	}
}

// pageSize is how many tools the paged behaviour puts on a page.
const pageSize = 3

func (s *server) listTools(r *request) {
	from, to := 0, len(toolTable())
	if s.fault.paged {
		var p struct {
			Cursor *string `json:"cursor"`
		}
		err := r.param(&p)
		if p.Cursor != nil && err == nil {
			from, err = strconv.Atoi(strings.TrimPrefix(*p.Cursor, "tools-from-"))
		}
		if err != nil || from < 0 || from >= to {
			s.fail(r, mcp.InvalidParams, "Invalid params: not a cursor of this server", "")
			return
		}
		to = min(from+pageSize, to)
	}
	var list []string
	for _, t := range toolTable()[from:to] {
		list = append(list, "{"+join(
			`"name":`+lex.Quote(t.name),
			r.since(mcp.V3, `"title":`+lex.Quote(t.title)),
			`"description":`+lex.Quote(t.description),
			`"inputSchema":`+t.inputSchema(r),
			t.outputSchema(r),
			t.execution(r),
			r.since(mcp.V2, fmt.Sprintf(`"annotations":{"readOnlyHint":%v}`, t.readOnly)))+"}")
	}
	next := ""
	if to < len(toolTable()) {
		next = fmt.Sprintf(`"nextCursor":"tools-from-%d"`, to)
	}
	s.replyCacheable(r, join(`"tools":[`+join(list...)+`]`, next))
}

func (t *tool) outputSchema(r *request) string {
	if t.output == "" {
		return ""
	}
	return r.since(mcp.V3, `"outputSchema":`+t.output)
}

// execution declares that a tool must run as a task: [V4] server/tools §Tool.
// The modern era does not have it.
func (t *tool) execution(r *request) string {
	if !t.task || r.modern() {
		return ""
	}
	return r.since(mcp.V4, `"execution":{"taskSupport":"required"}`)
}

func (s *server) callTool(r *request) {
	var p struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"arguments"`
		Task *struct{}       `json:"task"`
	}
	if err := r.param(&p); err != nil {
		s.fail(r, mcp.InvalidParams, "Invalid params: "+err.Error(), "")
		return
	}
	for _, t := range toolTable() {
		if t.name != p.Name {
			continue
		}
		if len(p.Args) == 0 {
			p.Args = json.RawMessage(`{}`)
		}
		if legacyTasks(r) && t.task != (p.Task != nil) {
			s.fail(r, mcp.MethodNotFound, t.taskRefusal(), "")
			return
		}
		t.call(s, r, p.Args)
		return
	}
	s.fail(r, mcp.InvalidParams, "Unknown tool: "+p.Name, "")
}

// text answers a tool call with one block of text.
func (s *server) text(r *request, text string) {
	s.reply(r, `"content":[`+textBlock(text)+`]`)
}

// toolError answers a failed tool call with a result, so that a model can read
// it ([V4] server/tools §Error Handling).
func (s *server) toolError(r *request, text string) {
	s.reply(r, `"content":[`+textBlock(text)+`],"isError":true`)
}

func textBlock(text string) string { return `{"type":"text","text":` + lex.Quote(text) + `}` }

func (s *server) add(r *request, args json.RawMessage) {
	var p struct{ A, B *float64 }
	if json.Unmarshal(args, &p) != nil || p.A == nil || p.B == nil {
		s.toolError(r, "add needs two numbers, a and b.")
		return
	}
	sum, err := json.Marshal(map[string]float64{"sum": *p.A + *p.B})
	if err != nil {
		s.toolError(r, "The sum is too large.")
		return
	}
	s.reply(r, join(`"content":[`+textBlock(string(sum))+`]`, r.since(mcp.V3, `"structuredContent":`+string(sum))))
}

func (s *server) echo(r *request, args json.RawMessage) {
	var p struct{ Message *string }
	if json.Unmarshal(args, &p) != nil || p.Message == nil {
		s.toolError(r, "echo needs a message.")
		return
	}
	s.text(r, "Echo: "+*p.Message)
}

func (s *server) failTool(r *request, _ json.RawMessage) {
	s.toolError(r, "This tool always fails.")
}

func (s *server) logTool(r *request, args json.RawMessage) {
	p := struct{ Level, Text string }{"info", "Hello from the log tool"}
	if json.Unmarshal(args, &p) != nil || levelIndex(p.Level) < 0 {
		s.toolError(r, "log takes one of the eight levels, and a text.")
		return
	}
	s.logged(r, p.Level, p.Text)
	s.text(r, "Logged, if your client requested it.")
}

// slow runs concurrently with the main loop, so that the server answers other
// requests meanwhile.
func (s *server) slow(r *request, args json.RawMessage) {
	p := struct {
		Seconds float64
		Steps   int
	}{3, 6}
	if json.Unmarshal(args, &p) != nil || p.Seconds < 0 || p.Seconds > 60 || p.Steps < 1 || p.Steps > 100 {
		s.toolError(r, "slow takes seconds from 0 to 60, and steps from 1 to 100.")
		return
	}
	step := time.Duration(p.Seconds * float64(time.Second) / float64(p.Steps))
	s.start(r, func(ctx context.Context, wanted func() bool) {
		done := steps(ctx, p.Steps, step, func(i int) {
			if i > 0 {
				s.progress(r, i, p.Steps)
			}
		})
		if done {
			s.text(r, fmt.Sprintf("Done in %d steps.", p.Steps))
		} else if wanted() {
			s.toolError(r, "Interrupted: the client closed the connection.")
		}
	})
}

// progress reports the progress of a request with a progress token.
func (s *server) progress(r *request, done, total int) {
	if r.meta.ProgressToken == nil {
		return
	}
	s.notify(r, mcp.ProgressNotification, "{"+join(
		`"progressToken":`+string(r.meta.ProgressToken),
		fmt.Sprintf(`"progress":%d,"total":%d`, done, total),
		r.since(mcp.V2, fmt.Sprintf(`"message":"step %d of %d"`, done, total)))+"}")
}

func (s *server) touch(r *request, _ json.RawMessage) {
	s.touched++
	s.text(r, fmt.Sprintf("Changes of the note so far: %d.", s.touched))
	s.updated(noteURI)
}
