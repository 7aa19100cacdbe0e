package detail

import (
	"bytes"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/text"
)

// CallLine words a message to a server as a line for a shell that sends it
// to a server of its own: wiretea call. h names the server, and must have its
// command; version is the protocol's revision in effect, empty where it is not
// known; asked are the methods by which the server asked back, for which the user
// is then at hand again. Values of environment variables are not recorded: the
// line takes them from the environment it is run in, and fails where that has none. Of the
// options in h, which may come from a stranger, those that wiretea records go along.
//
// The parameters are the message's bytes. Of a session of wiretea's own they lack
// what wiretea puts into each request by itself.
func CallLine(h *session.Header, version string, message []byte, asked []string) string {
	words := append([]string{"wiretea", "call"}, callWords(h, message)...)
	method := words[2]
	words = append(words, clientWords(h, version, method, message, asked)...)
	if method == "tools/call" && h.Mode == "run" && bytes.Contains(message, []byte(`"`+mcp.TasksExtension+`"`)) {
		words = append(words, "--task") // the capability is one of the stamps
	}
	l, usual := &h.Limits, session.DefaultLimits()
	if (l.Timeout > 0 || len(l.Timeouts) > 0) && l.For(method) != usual.For(method) {
		words = append(words, "--timeout", l.For(method).String())
	}
	if h.Cwd != "" {
		words = append(words, "--cwd", h.Cwd)
	}
	for i, w := range words {
		words[i] = text.ShellWord(w)
	}
	for _, name := range h.EnvKeys {
		if isVariable(name) {
			words = append(words, "--env", name)
		}
	}
	words = append(words, "--")
	for _, w := range h.Server() {
		words = append(words, text.ShellWord(w))
	}
	return strings.Join(words, " ")
}

// isVariable reports whether a shell can have a variable of a name.
func isVariable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) && (name[0] < '0' || name[0] > '9')
}

// recorded reports whether wiretea writes such an option of a client into a header.
func recorded(flag, value string) bool {
	switch flag {
	case "--era", "--protocol-version", "--framing", "--client-info", "--capabilities", "--sampling", "--elicitation", "--root", "--log-level", "--transport", "--cacert", "--login":
		return true
	case "--token-env":
		return isVariable(value)
	case "--header-env":
		_, name, _ := strings.Cut(value, "=")
		return isVariable(name)
	}
	return false
}

// clientWords are the flags that make the client the one that was seen.
func clientWords(h *session.Header, version, method string, message []byte, asked []string) []string {
	var words []string
	greets := method == "initialize" || method == "server/discover" // it brings its version
	era, versioned := "", false
	for i := 0; i+1 < len(h.As); i += 2 {
		flag, value := h.As[i], h.As[i+1]
		switch {
		case !recorded(flag, value):
			continue
		case flag == "--era":
			era = value
			continue
		case flag == "--protocol-version" && greets:
			continue
		case value == "ask" && !slices.Contains(asked, questions.Get()[flag]):
			continue // it would want a terminal for nothing
		case flag == "--log-level" && bytes.Contains(message, []byte(`"io.modelcontextprotocol/logLevel"`)):
			continue // the parameters have it
		}
		if flag == "--protocol-version" {
			versioned = true
			if _, published := mcp.ParseVersion(value); !published && era != "" {
				words = append(words, "--era", era) // only a published version tells its era
			}
		}
		words = append(words, flag, value)
	}
	if _, published := mcp.ParseVersion(version); published && !greets && !versioned {
		return append([]string{"--protocol-version", version}, words...)
	}
	if era != "" && !greets && !versioned {
		return append([]string{"--era", era}, words...)
	}
	return words
}

// questions are the methods that the flags are about with which the user is asked.
var questions = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"--sampling":    "sampling/createMessage",
		"--elicitation": "elicitation/create",
		"--root":        "roots/list",
	}
}}

// callWords are a message as the words of wiretea call: its method and its
// parameters, or where that would not give the same message, all of it.
func callWords(h *session.Header, message []byte) []string {
	var method string
	var params []byte
	plain := 0
	jsonrpc.Scan(message, func(m *jsonrpc.Message) {
		plain++
		if m.Kind != jsonrpc.Request && m.Kind != jsonrpc.Notification || m.Elem >= 0 {
			plain++
		}
		method, _ = m.Method.Unquoted()
		params = m.Params.In(message)
	})
	// A word without a slash may be one of call's own.
	if plain != 1 || text.ShellWord(method) != method || strings.HasPrefix(method, "-") || !strings.Contains(method, "/") && method != "initialize" && method != "ping" {
		return []string{argument(bytes.TrimSpace(message))}
	}
	if h.Mode == "run" {
		params = WithoutStamps(params)
	}
	if len(params) == 0 {
		return []string{method}
	}
	return []string{method, argument(params)}
}

// argument is JSON that is not taken for an option.
func argument(text []byte) string {
	if bytes.HasPrefix(text, []byte("-")) {
		return " " + string(text)
	}
	return string(text)
}

// stamps are the members of _meta that wiretea puts into each request of the
// modern era.
var stamps = []string{"io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities", "io.modelcontextprotocol/clientInfo"}

// WithoutStamps takes out of a request's parameters what wiretea itself puts into
// each request that it sends: the metadata of the modern era, and a progress token of
// its own. What cannot be read stays as it is; nil = nothing is left.
func WithoutStamps(params []byte) []byte {
	all, _ := lex.List(params)
	at := slices.IndexFunc(all, func(m lex.Member) bool { return m.Name == "_meta" })
	if at < 0 {
		return params
	}
	meta, _ := lex.List(all[at].Value)
	kept := slices.DeleteFunc(slices.Clone(meta), func(m lex.Member) bool {
		return slices.Contains(stamps, m.Name) || m.Name == "progressToken" && bytes.HasPrefix(m.Value, []byte(`"wiretea-`))
	})
	switch {
	case len(kept) == len(meta):
		return params
	case len(kept) > 0:
		all[at].Value = lex.AppendObject(nil, kept...)
	case len(all) == 1:
		return nil
	default:
		all = slices.Delete(all, at, at+1)
	}
	return lex.AppendObject(nil, all...)
}
