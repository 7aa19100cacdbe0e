package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"wiretea/session/json/lex"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

const (
	serverInfo   = `{"name":"wiretea-demo","title":"wiretea demo server","version":"1.0.0"}`
	instructions = "A demo server for wiretea. Try the tools echo, add, slow, brew, fail, log, order, pay, think, roots and touch."
)

// handlers are the methods of both eras.
var handlers = lazy.Value[map[string]func(*server, *request)]{New: func() map[string]func(*server, *request) {
	return map[string]func(*server, *request){
		mcp.ToolsList:              (*server).listTools,
		mcp.ToolsCall:              (*server).callTool,
		mcp.ResourcesList:          (*server).listResources,
		mcp.ResourcesTemplatesList: (*server).listTemplates,
		mcp.ResourcesRead:          (*server).readResource,
		mcp.PromptsList:            (*server).listPrompts,
		mcp.PromptsGet:             (*server).getPrompt,
		mcp.CompletionComplete:     (*server).complete,
	}
}}

// legacyHandlers and modernHandlers are the methods of only one era.
var (
	legacyHandlers = lazy.Value[map[string]func(*server, *request)]{New: func() map[string]func(*server, *request) {
		return map[string]func(*server, *request){
			mcp.Ping:                 func(s *server, r *request) { s.reply(r, "") },
			mcp.LoggingSetLevel:      (*server).setLevel,
			mcp.ResourcesSubscribe:   (*server).subscribe,
			mcp.ResourcesUnsubscribe: (*server).unsubscribe,
			mcp.TasksGet:             (*server).getTask,
			mcp.TasksResult:          (*server).taskResult,
			mcp.TasksList:            (*server).listTasks,
			mcp.TasksCancel:          (*server).cancelTask,
		}
	}}
	modernHandlers = lazy.Value[map[string]func(*server, *request)]{New: func() map[string]func(*server, *request) {
		return map[string]func(*server, *request){
			mcp.ServerDiscover:      (*server).discover,
			mcp.SubscriptionsListen: (*server).listen,
			mcp.TasksGet:            (*server).getTask,
			mcp.TasksUpdate:         (*server).updateTask,
			mcp.TasksCancel:         (*server).cancelTask,
		}
	}}
)

// dispatch answers a request correctly.
func (s *server) dispatch(r *request) {
	if !r.hasID() {
		s.refuse(mcp.InvalidRequest, "Invalid request: the id is neither a string nor a number")
		return
	}
	switch {
	case r.modern() && s.fault.legacy:
		// A server that does not support the modern era sees an unknown method,
		// or metadata that it can ignore.
		if r.version = s.version; r.Method == mcp.ServerDiscover {
			s.noMethod(r)
			return
		}
	case r.modern():
		if !s.metaOK(r) {
			return
		}
	case r.Method == mcp.Initialize:
		s.initialize(r)
		return
	}
	if s.version == mcp.NoVersion && !r.modern() && r.Method != mcp.Ping {
		s.fail(r, mcp.InvalidRequest, "Not initialized: send initialize first, or _meta with a protocol version on each request", "")
		return
	}
	era := legacyHandlers.Get()
	if r.modern() {
		era = modernHandlers.Get()
	}
	if h, ok := era[r.Method]; ok {
		h(s, r)
	} else if h, ok := handlers.Get()[r.Method]; ok {
		h(s, r)
	} else {
		s.noMethod(r)
	}
}

// hasID reports whether the id is a string or a number.
func (r *request) hasID() bool {
	id := r.ID[0]
	return id == '"' || id == '-' || id >= '0' && id <= '9'
}

func (s *server) noMethod(r *request) {
	s.fail(r, mcp.MethodNotFound, "Method not found: "+r.Method, "")
}

// metaOK refuses a modern request without the required metadata, or with an
// unsupported version ([V5] basic/versioning §Protocol Version Negotiation).
func (s *server) metaOK(r *request) bool {
	if r.meta.Version == nil || r.meta.Capabilities == nil {
		r.status = http.StatusBadRequest
		s.fail(r, mcp.InvalidParams, "Invalid params: _meta lacks io.modelcontextprotocol/protocolVersion or clientCapabilities", "")
		return false
	}
	if v, ok := mcp.ParseVersion(*r.meta.Version); !ok || v.Era() != mcp.Modern {
		data := fmt.Sprintf(`{"supported":[%s],"requested":%s}`, lex.Quote(mcp.LatestModern.String()), lex.Quote(*r.meta.Version))
		s.fail(r, mcp.UnsupportedVersion, "Unsupported protocol version", data)
		return false
	}
	return true
}

// capabilities are the server's capabilities in either era.
func capabilities(r *request) string {
	return "{" + join(r.since(mcp.V2, `"completions":{}`), `"logging":{},"prompts":{},"resources":{"subscribe":true},"tools":{}`, taskCapability(r)) + "}"
}

// initialize accepts the requested version, or offers the latest one: [V4]
// basic/lifecycle §Version Negotiation.
func (s *server) initialize(r *request) {
	var p struct {
		Version      string          `json:"protocolVersion"`
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if err := r.param(&p); err != nil || p.Version == "" {
		s.fail(r, mcp.InvalidParams, "Invalid params: protocolVersion is missing", "")
		return
	}
	v, ok := mcp.ParseVersion(p.Version)
	if !ok || v < mcp.V1 || v.Era() != mcp.Legacy {
		v = mcp.LatestLegacy
	}
	s.version, r.version = v, v
	// Capabilities that are not an object declare nothing.
	_ = json.Unmarshal(p.Capabilities, &s.clientCaps)
	s.reply(r, join(
		`"protocolVersion":`+lex.Quote(v.String()),
		`"capabilities":`+capabilities(r),
		`"serverInfo":`+r.serverInfo(),
		`"instructions":`+lex.Quote(instructions)))
}

// serverInfo has a title since 2025-06-18.
func (r *request) serverInfo() string {
	if r.version < mcp.V3 {
		return `{"name":"wiretea-demo","version":"1.0.0"}`
	}
	return serverInfo
}

func (s *server) discover(r *request) {
	s.replyCacheable(r, join(
		`"supportedVersions":[`+lex.Quote(mcp.LatestModern.String())+`]`,
		`"capabilities":`+capabilities(r),
		`"instructions":`+lex.Quote(instructions)))
}

// notified handles a notification of the client.
func (s *server) notified(r *request) {
	if r.Method != mcp.CancelledNotification {
		return
	}
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if r.param(&p) != nil {
		return
	}
	s.cancel(func(r *request) bool { return string(r.ID) == string(p.ID) })
}

// cancel ends the work on requests, without responses.
func (s *server) cancel(of func(*request) bool) {
	s.smu.Lock()
	for r, cancel := range s.running {
		if cancel != nil && of(r) {
			s.running[r] = nil
			cancel()
		}
	}
	s.smu.Unlock()
	for key, asked := range s.asked {
		if of(asked.of) {
			delete(s.asked, key)
		}
	}
	s.listens = slices.DeleteFunc(s.listens, func(l *listen) bool { return of(l.of) })
}

// levelIndex returns a level's index in mcp.LogLevels, -1 for an unknown level.
func levelIndex(level string) int { return slices.Index(mcp.LogLevels, level) }

func (s *server) setLevel(r *request) {
	var p struct {
		Level string `json:"level"`
	}
	if err := r.param(&p); err != nil || levelIndex(p.Level) < 0 {
		s.fail(r, mcp.InvalidParams, "Invalid params: unknown log level", "")
		return
	}
	s.level = levelIndex(p.Level)
	s.reply(r, "")
}

// logged sends a log message if the client requested it: in the legacy era from
// the level that it set, in the modern one if this request has a logLevel.
func (s *server) logged(r *request, level, text string) {
	least := s.level
	if r.modern() {
		if least = levelIndex(r.meta.LogLevel); least < 0 {
			return
		}
	}
	if levelIndex(level) >= least {
		s.notify(r, mcp.LogNotification, fmt.Sprintf(`{"level":%s,"logger":"demo","data":%s}`, lex.Quote(level), lex.Quote(text)))
	}
}

// start runs work concurrently with the main loop until it is done, or until
// the client cancels the request or closes stdin. work gets a context that ends
// then, and a function that reports whether the client still waits for a
// response.
func (s *server) start(r *request, work func(ctx context.Context, wanted func() bool)) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.smu.Lock()
	s.running[r] = cancel
	s.smu.Unlock()
	s.workers.Go(func() {
		defer cancel()
		work(ctx, func() bool {
			s.smu.Lock()
			defer s.smu.Unlock()
			return s.running[r] != nil
		})
		s.smu.Lock()
		delete(s.running, r)
		s.smu.Unlock()
	})
}
