package demo

import (
	"slices"

	"wiretea/session/mcp"
)

// catalogue returns all behaviours. Behaviours with state between messages keep
// it in their entry, so each run needs a new catalogue.
func catalogue() []Behaviour {
	return slices.Concat(healthyOnes(), framingFaults(), envelopeFaults(), correlationFaults(), processFaults())
}

// healthyName is the behaviour without a fault, on stdio and over HTTP.
const healthyName = "healthy"

func healthyOnes() []Behaviour {
	return []Behaviour{
		{Name: healthyName, Title: "works correctly, in both eras", Calls: tourOfHealthy},
		{Name: "legacy", Title: "works correctly, supports only initialize", Calls: []string{mcp.ToolsList, echoHi, mcp.Ping}, fault: fault{legacy: true}},
		{Name: "paged", Title: "works correctly, lists its tools in pages", Calls: []string{mcp.ToolsList}, fault: fault{paged: true}},
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

// tour is the behaviours that a newcomer sees, in order, with an explanation.
var tour = []struct{ server, says string }{
	{"healthy", "A healthy server: probe, list, calls, progress, resources, prompts. Nothing to report."},
	{"log-line", "This server prints a log line to stdout, where only messages are allowed. The most common fault."},
	{"log-object", "A logger that writes JSON does not help: it parses, but it is not a message."},
	{"pretty", "Indented JSON: each line is a fragment. Some clients wait forever, the Go SDK accepts it."},
	{"string-id", "The response's id is a string, the request's was a number. Go clients never match it."},
	{"answers-twice", "The same response twice. Probably a handler is registered twice."},
	{"answers-notification", "Notifications must not be answered. Strict clients close the connection."},
	{"result-and-error", "error:null beside a result: TypeScript clients drop the whole response."},
	{"latin1", "One byte of Latin-1 among UTF-8: text is silently damaged, or reading fails."},
	{"huge-line", "A response of 12 MB on one line: above 10 MiB some clients close the connection."},
	{"chatty", "Dozens of lines on stderr, which is what stderr is for. Nothing to report."},
	{"slow", "Six seconds for a list. The timer runs while you wait."},
	{"no-answer", "A call that is never answered. After five seconds we cancel it."},
	{"crash", "The server crashes in a call. Its last lines on stderr say why; the exit code is 3."},
	{"exit-on-probe", "Modern clients send server/discover first. This server exits on it: the won't-connect bug of 2026."},
	{"ignores-eof", "The client has closed stdin, but the server keeps running until SIGTERM."},
}

// Tour returns what `wiretea demo` plays for a newcomer, the healthy server
// first.
func Tour() []Scene {
	scenes := make([]Scene, 0, len(tour))
	for _, t := range tour {
		if b, ok := Lookup(t.server); ok {
			scenes = append(scenes, Scene{Behaviour: b, Says: t.says})
		}
	}
	return scenes
}
