package demo

import (
	"slices"

	"wiretea/session/mcp"
)

// catalogue builds all behaviours. Those that keep something between messages
// keep it in their entry, so each run takes a fresh one.
func catalogue() []Behaviour {
	return slices.Concat(healthyOnes(), framingFaults(), envelopeFaults(), correlationFaults(), processFaults())
}

func healthyOnes() []Behaviour {
	return []Behaviour{
		{Name: "healthy", Title: "does everything right, in both eras", Calls: tourOfHealthy},
		{Name: "legacy", Title: "does everything right, and knows only initialize", Calls: []string{mcp.ToolsList, echoHi, mcp.Ping}, fault: fault{legacy: true}},
		{Name: "paged", Title: "does everything right, and lists its tools in pages", Calls: []string{mcp.ToolsList}, fault: fault{paged: true}},
	}
}

var tourOfHealthy = []string{
	mcp.ToolsList,
	echoHi,
	addOne,
	slowCall,
	`tools/call {"name":"fail"}`,
	mcp.ResourcesList,
	`resources/read {"uri":"demo://about"}`,
	mcp.PromptsList,
	`prompts/get {"name":"greet","arguments":{"name":"Ada","language":"French"}}`,
	`completion/complete {"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":"E"}}`,
}

// tour says which behaviours a newcomer sees, in which order, and why.
var tour = []struct{ server, says string }{
	{"healthy", "A healthy server: probe, list, calls, progress, resources, prompts. Nothing to report."},
	{"log-line", "This one prints a log line to stdout, where only messages belong. The most common fault of all."},
	{"log-object", "A logger that writes JSON does not help: it parses, but it is not a message."},
	{"pretty", "Indented JSON: each line is a fragment. Some clients wait for ever, the Go SDK does not mind."},
	{"string-id", "The answer's id is a string where the question's was a number. Go clients never find it."},
	{"answers-twice", "The same answer twice. Somewhere a handler is registered two times."},
	{"answers-notification", "Notifications want no answer. Strict clients drop the connection."},
	{"result-and-error", "error:null beside a result: TypeScript clients throw the whole answer away."},
	{"latin1", "One byte of Latin-1 among UTF-8: text is damaged in silence, or reading fails."},
	{"huge-line", "One answer of 12 MB on one line: past 10 MiB some clients close the connection."},
	{"chatty", "Dozens of lines on stderr: that is what stderr is for. Nothing to report."},
	{"slow", "Six seconds for a list. The timer runs while you wait."},
	{"no-answer", "A call that is never answered. After five seconds we cancel it."},
	{"crash", "The server dies in a call. Its last words on stderr say why; the exit code is 3."},
	{"exit-on-probe", "Modern clients ask server/discover first. This server exits on it: the won't-connect bug of 2026."},
	{"ignores-eof", "The client has closed stdin, and the server stays: it has to be told with SIGTERM."},
}

// Tour returns what `wiretea demo` plays for a newcomer, the healthy server
// first.
func Tour() []Scene {
	scenes := make([]Scene, 0, len(tour))
	for _, t := range tour {
		b, ok := Lookup(t.server)
		if !ok {
			continue
		}
		scenes = append(scenes, Scene{Server: b.Name, Calls: b.Calls, Says: t.says, Patience: b.Patience, Linger: b.Linger, Pace: b.Pace})
	}
	return scenes
}
