package offers

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds for the state of a connection. The oldest entry is dropped first.
const (
	maxQuestions    = 64      // unanswered questions, and results that requested input
	maxInRound      = 16      // questions of one result
	maxElicitations = 1024    // ids of elicitations by URL
	maxFormText     = 4 << 10 // bytes of a form's schema
)

// workGoesOn is how long cancelled work may continue and send requests.
const workGoesOn = int64(10 * time.Second)

// questionsConn judges what servers ask their clients, and the answers. A question
// is a request of the server, or from 2026-07-28 on an entry of a result of type
// input_required; both are judged in the same way.
//
//	a question that cannot be read at all            input-request-invalid, missing-required-param
//	a question for which the client declared nothing capability-not-negotiated, input-request-capability
type questionsConn struct {
	rule.Coverage
	rule.Validator
	client  rule.Object // client is the client's capabilities in initialize, nil = unknown.
	cancelT int64       // cancelT is when the client last cancelled something, 0 = never.
	waiting []waitingQuestion
	asked   []askedRound
	issued  rule.HashSet // issued are the ids of elicitations by URL.
}

// A question is a request of the server, or an entry of inputRequests.
type question struct {
	method string
	params []byte // params is the text of the params; nil if they are absent or unknown.
	name   string // name is its name for messages.
	modern bool
}

// A form is what an answer is judged by.
type form struct {
	method string
	name   string
	schema []byte // schema is the schema of a form, nil for none or if it is unknown.
	url    bool
}

// A waitingQuestion is an unanswered request of the server.
type waitingQuestion struct {
	row uint32
	form
}

// An askedRound is a result that requested input.
type askedRound struct {
	method, target string
	state          uint64
	forms          map[string]form
}

// Check implements session.Checker.
func (c *questionsConn) Check(ev *session.Event, r session.Reporter) {
	c.Note(ev)
	switch {
	case ev.Kind != session.MessageSeen:
	case ev.Frame.Stream == session.C2S:
		c.fromClient(ev, r)
	default:
		c.fromServer(ev, r)
	}
}

func (c *questionsConn) fromServer(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	switch m.Kind {
	case jsonrpc.Request:
		if ev.Method != nil && asksClient(ev.Method.Name) && rule.IsNew(ev) && !rule.IsModern(ev) {
			c.request(ev, r)
		}
	case jsonrpc.Notification:
		if ev.Method != nil && ev.Method.Name == mcp.ElicitationCompleteNotification {
			c.complete(ev, r)
		}
	case jsonrpc.Result:
		if x != nil && x.Era == mcp.Modern && m.Field(jsonrpc.ResultInputRequests).Type == jsonrpc.Object && rule.IsAnswer(ev) {
			c.round(ev, r)
		}
	case jsonrpc.Error:
		if code, ok := m.Field(jsonrpc.ErrorCode).Int(); ok && code == mcp.URLElicitation && urlRequiredErrorShape.In(rule.Version(ev)) {
			c.urlRequired(ev, r)
		}
	case jsonrpc.Invalid:
	}
}

func (c *questionsConn) fromClient(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	switch m.Kind {
	case jsonrpc.Request:
		switch {
		case ev.Method == nil || !rule.IsNew(ev):
		case ev.Method.Name == mcp.Initialize:
			if caps, ok := rule.ParseObject(rule.FieldText(ev, m.Field(jsonrpc.ParamCapabilities))); ok && ev.Frame.Way != session.WayOut {
				c.client = caps
			}
		case m.Field(jsonrpc.ParamInputResponses).Type == jsonrpc.Object && rule.ByClient(ev):
			c.repeated(ev, r)
		}
	case jsonrpc.Notification:
		if ev.Method != nil && ev.Method.Name == mcp.CancelledNotification {
			c.cancelT = max(1, ev.T)
		}
	case jsonrpc.Result, jsonrpc.Error:
		if x != nil && x.Sender == session.S2C && ev.Method != nil && asksClient(ev.Method.Name) {
			c.answered(ev, r)
		}
	case jsonrpc.Invalid:
	}
}

// asksClient reports whether a method is a question to the client.
func asksClient(method string) bool {
	return method == mcp.SamplingCreateMessage || method == mcp.ElicitationCreate || method == mcp.RootsList
}

// request judges a question that is a request, and stores it until it is
// answered.
func (c *questionsConn) request(ev *session.Event, r session.Reporter) {
	c.unassociated(ev, r)
	if !rule.Unambiguous(ev.Message) {
		return
	}
	q := question{method: ev.Method.Name, params: rule.SpanText(ev, ev.Message.Params), name: rule.NameOf(ev.Exchange)}
	c.judge(ev, q, r)
	rule.Push(&c.waiting, waitingQuestion{ev.Exchange.Req, formOf(q)}, maxQuestions)
}

// unassociated judges whether a question belongs to a client request.
func (c *questionsConn) unassociated(ev *session.Event, r session.Reporter) {
	if ev.Method.Name == mcp.RootsList || len(ev.Conn.Open[session.C2S]) > 0 || !ev.Conn.Initialized || !c.Sees(ev, session.C2S) ||
		ev.Message.Field(jsonrpc.MetaRelatedTask).Present() || c.cancelT != 0 && ev.T-c.cancelT < workGoesOn {
		return
	}
	f := serverRequestUnassociated.At(ev, "%s came while no client request was in flight", rule.NameOf(ev.Exchange)).Keyed(ev.Method.Name)
	if c.cancelT != 0 {
		f = f.Since(c.cancelT) // The server may not have been told.
	}
	r.Report(f)
}

// judge judges a question by itself.
func (c *questionsConn) judge(ev *session.Event, q question, r session.Reporter) {
	if q.params == nil {
		return
	}
	switch q.method {
	case mcp.SamplingCreateMessage:
		c.sampling(ev, q, r)
	case mcp.ElicitationCreate:
		c.elicitation(ev, q, r)
	}
}

// formOf returns what the answer to a question is judged by.
func formOf(q question) form {
	f := form{method: q.method, name: q.name, url: lex.IsText(lex.Get(q.params, "mode"), "url")}
	if schema := lex.Get(q.params, "requestedSchema"); q.method == mcp.ElicitationCreate && !f.url && len(schema) <= maxFormText {
		f.schema = bytes.Clone(schema)
	}
	return f
}

// round judges the questions of a result, and stores them until the request is
// retried.
func (c *questionsConn) round(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	all, ok := rule.ParseObject(rule.FieldText(ev, m.Field(jsonrpc.ResultInputRequests)))
	if !ok || !rule.Unambiguous(m) {
		return
	}
	kept := askedRound{method: x.Method, target: x.Target, state: stateHash(m.Field(jsonrpc.ResultRequestState)), forms: map[string]form{}}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if invalidQuestion(all[key]) != "" {
			continue
		}
		asked, _ := rule.ParseObject(all[key])
		q := question{params: asked["params"], name: rule.Short([]byte(key)) + " in the result of " + rule.NameOf(x), modern: true}
		q.method, _ = asked.Text("method")
		c.judge(ev, q, r)
		if len(kept.forms) < maxInRound && len(key) <= rule.MaxNameKept {
			kept.forms[key] = formOf(q)
		}
	}
	rule.Push(&c.asked, kept, maxQuestions)
}

func stateHash(v *jsonrpc.Value) uint64 {
	if !v.Present() {
		return 0
	}
	return max(1, v.Hash)
}

// repeated judges the answers in a retried request. They are compared with the
// result that they answer, if there is exactly one candidate.
func (c *questionsConn) repeated(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	state := stateHash(m.Field(jsonrpc.ParamRequestState))
	found := -1
	for i, k := range c.asked {
		if k.method == x.Method && k.target == x.Target && k.state == state {
			if found >= 0 {
				return
			}
			found = i
		}
	}
	given, ok := rule.ParseObject(rule.FieldText(ev, m.Field(jsonrpc.ParamInputResponses)))
	if found < 0 || !ok || !rule.Unambiguous(m) {
		return
	}
	forms := c.asked[found].forms
	c.asked = slices.Delete(c.asked, found, found+1)
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if f, known := forms[key]; known {
			c.judgeAnswer(ev, f, given[key], r)
		}
	}
}

// answered judges the answer to a question that was a request.
func (c *questionsConn) answered(ev *session.Event, r session.Reporter) {
	i := slices.IndexFunc(c.waiting, func(w waitingQuestion) bool { return w.row == ev.Exchange.Req })
	if i < 0 {
		return
	}
	f := c.waiting[i].form
	c.waiting = slices.Delete(c.waiting, i, i+1)
	if result := rule.ResultOf(ev); ev.Message.Kind == jsonrpc.Result && result != nil && rule.ByClient(ev) {
		c.judgeAnswer(ev, f, result, r)
	}
}

// judgeAnswer judges an answer by its question.
func (c *questionsConn) judgeAnswer(ev *session.Event, f form, answer []byte, r session.Reporter) {
	if jsonrpc.TypeOf(answer) != jsonrpc.Object {
		return
	}
	switch f.method {
	case mcp.RootsList:
		if fault := rootsFault(answer); fault != "" {
			r.Report(rootNotFileURI.At(ev, "the answer to %s: %s", f.name, fault))
		}
	case mcp.ElicitationCreate:
		if elicitationResult.In(rule.Version(ev)) {
			c.elicited(ev, f, answer, r)
		}
	}
}

// rootsFault says what is wrong with roots, empty if nothing is.
func rootsFault(answer []byte) string {
	if lack := rule.Lack(answer, rootNeeds); lack != "" {
		return lack
	}
	for _, root := range lex.Items(lex.Get(answer, "roots")) {
		uri := lex.Unquote(lex.Get(root, "uri"))
		if len(uri) < len("file://") || !strings.EqualFold(uri[:len("file://")], "file://") {
			return "the root " + rule.Excerpt([]byte(uri)) + " does not use the file: scheme"
		}
	}
	return ""
}

var rootNeeds = []rule.Need{{Path: "roots[].uri", Type: jsonrpc.String}}

var Questions = rule.Family{
	Name:  "questions",
	Title: "Sampling, elicitation and roots",
	Rules: []*rule.Rule{
		serverRequestUnassociated, rootNotFileURI,
		samplingShape, samplingToolsUndeclared, samplingToolBalance, includeContextDeprecated,
		elicitationModeUndeclared, elicitationSchemaComplex, elicitationSecret, elicitationURL,
		elicitationResult, elicitationCompleteUnknown, urlRequiredErrorShape,
	},
	New: func() session.Checker { return &questionsConn{} },
}

var serverRequestUnassociated = &rule.Rule{ID: "server-request-unassociated", Severity: session.Info, Fault: rule.Server, Until: mcp.V4}
var rootNotFileURI = &rule.Rule{ID: "root-not-file-uri", Alone: true, Severity: session.Error, Fault: rule.Client}
var samplingShape = &rule.Rule{ID: "sampling-shape", Alone: true, Severity: session.Error, Fault: rule.Server}
var samplingToolsUndeclared = &rule.Rule{ID: "sampling-tools-undeclared", Severity: session.Error, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4}
var samplingToolBalance = &rule.Rule{ID: "sampling-tool-balance", Severity: session.Error, Fault: rule.Server, Since: mcp.V4}
var includeContextDeprecated = &rule.Rule{ID: "include-context-deprecated", Severity: session.Info, Fault: rule.Server, Since: mcp.V4}
var urlRequiredErrorShape = &rule.Rule{ID: "url-required-error-shape", Severity: session.Error, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4}
