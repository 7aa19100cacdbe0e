package offers

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds for the state of a connection.
const (
	maxCalls   = 256     // calls in flight
	maxRounds  = 64      // results that requested input
	maxKept    = 4 << 10 // bytes of the arguments, and of the capabilities, of a call
	maxRoundID = 256
)

// inputMethods are the methods that may be answered with input_required.
var inputMethods = []string{mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead}

// mrtrConn judges requests that take several rounds. A repeated request is compared
// with the round that has its requestState, else with the only one of its method and
// target; if there are several, nothing is reported. A requestState that is not of this
// connection may come from another one, since servers keep no state.
type mrtrConn struct {
	rule.Coverage
	calls  []call // calls are in flight.
	rounds []round
	forgot bool // forgot: an earlier round was dropped.
}

// A call is a request in flight that may be answered with input_required. Its
// memory is reused.
type call struct {
	row        uint32
	args, caps []byte
	argsKnown  bool // argsKnown: args is all of the arguments, empty if there are none.
	capsKnown  bool
}

// A round is a result that requested input.
type round struct {
	method, target, id string
	args               []byte
	argsKnown          bool
	state              string // state is requestState, decoded.
	stateful           bool   // stateful: it has a requestState.
	keys               []string
}

// Check implements session.Checker.
func (c *mrtrConn) Check(ev *session.Event, r session.Reporter) {
	c.Note(ev)
	if x := ev.Exchange; ev.Kind == session.MessageSeen && x != nil && x.Sender == session.C2S && x.Era == mcp.Modern {
		c.message(ev, r)
	}
}

func (c *mrtrConn) message(ev *session.Event, r session.Reporter) {
	switch m := ev.Message; m.Kind {
	case jsonrpc.Request:
		if rule.IsNew(ev) && slices.Contains(inputMethods, ev.Exchange.Method) {
			if m.Field(jsonrpc.ParamRequestState).Present() || m.Field(jsonrpc.ParamInputResponses).Present() {
				c.repeated(ev, r)
			}
			c.begin(ev)
		}
	case jsonrpc.Result:
		if m.Field(jsonrpc.ResultType).Is("input_required") && ev.Match != session.MatchDuplicate && ev.Match != session.MatchNone {
			c.asks(ev, r)
		}
		c.end(ev)
	case jsonrpc.Error:
		c.end(ev)
	case jsonrpc.Notification:
		if ev.Exchange.Cancel != 0 {
			c.end(ev)
		}
	case jsonrpc.Invalid:
	}
}

// begin stores what the response to a call is judged by.
func (c *mrtrConn) begin(ev *session.Event) {
	n := len(c.calls)
	if n == maxCalls {
		c.forgot = true
		return
	}
	if n < cap(c.calls) {
		c.calls = c.calls[:n+1]
	} else {
		c.calls = append(c.calls, call{})
	}
	k := &c.calls[n]
	m := ev.Message
	args, caps := m.Field(jsonrpc.ParamArguments), m.Field(jsonrpc.MetaCapabilities)
	k.row = ev.Exchange.Req
	k.args, k.argsKnown = keep(k.args, args, rule.FieldText(ev, args))
	k.caps, k.capsKnown = keep(k.caps, caps, rule.FieldText(ev, caps))
}

// keep copies the text of a value, and reports whether all of it is known.
func keep(into []byte, v *jsonrpc.Value, text []byte) ([]byte, bool) {
	into = into[:0]
	switch {
	case !v.Present():
		return into, true
	case text == nil || len(text) > maxKept:
		return into, false
	}
	return append(into, text...), true
}

func (c *mrtrConn) call(row uint32) int {
	return slices.IndexFunc(c.calls, func(k call) bool { return k.row == row })
}

// end removes a call; its memory stays behind the remaining ones.
func (c *mrtrConn) end(ev *session.Event) {
	if i := c.call(ev.Exchange.Req); i >= 0 {
		last := len(c.calls) - 1
		c.calls[i], c.calls[last] = c.calls[last], c.calls[i]
		c.calls = c.calls[:last]
	}
}

// questionPlaces are the places of package shape in an input request.
var questionPlaces = []string{"InputRequiredResult.inputRequests", "InputRequest.", "CreateMessageRequest", "ElicitRequest", "ListRootsRequest"}

// aloneIn returns a result whose member has one entry.
func aloneIn(member, key string, entry []byte) []byte {
	return lex.AppendObject(nil, lex.Member{Name: member, Value: lex.AppendObject(nil, lex.Member{Name: key, Value: entry})})
}

// asks judges a result that requests input.
func (c *mrtrConn) asks(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	if !slices.Contains(inputMethods, x.Method) {
		r.Report(inputRequiredNotAllowed.At(ev, "%s is answered with input_required", rule.NameOf(x)))
		return
	}
	questions, state := m.Field(jsonrpc.ResultInputRequests), m.Field(jsonrpc.ResultRequestState)
	if !questions.Present() && !state.Present() {
		r.Report(inputRequiredEmpty.At(ev, "the result of %s has neither inputRequests nor requestState", rule.NameOf(x)))
		return
	}
	if state.Present() && state.Type != jsonrpc.String {
		f := inputRequestInvalid.AtMember(ev, []string{"InputRequiredResult.requestState"}, "requestState in the result of %s is %s, must be a string", rule.NameOf(x), rule.TypeName(state.Type))
		f.Hint = "serialize the state to a string; the client sends it back as it is"
		r.Report(f)
		return
	}
	if questions.Present() && questions.Type != jsonrpc.Object {
		r.Report(inputRequestInvalid.AtMember(ev, []string{"InputRequiredResult.inputRequests"}, "inputRequests in the result of %s is %s, must be an object", rule.NameOf(x), rule.TypeName(questions.Type)))
		return
	}
	asked, _ := rule.ParseObject(rule.FieldText(ev, questions))
	i := c.call(x.Req)
	for _, key := range slices.Sorted(maps.Keys(asked)) {
		if wrong := invalidQuestion(asked[key]); wrong != "" {
			r.Report(inputRequestInvalid.AtPart(ev, "InputRequiredResult", aloneIn("inputRequests", key, asked[key]), questionPlaces, "inputRequests.%s in the result of %s: %s", rule.Short([]byte(key)), rule.NameOf(x), wrong))
			continue
		}
		if i >= 0 && c.calls[i].capsKnown {
			if missing := undeclaredQuestion(asked[key], c.calls[i].caps); missing != "" {
				r.Report(inputRequestCapability.At(ev, "%s in the result of %s needs %s, which the request does not declare", rule.Short([]byte(key)), rule.NameOf(x), missing))
			}
		}
	}
	c.remember(ev, i, asked)
}

// remember stores a round, with which its retry is compared.
func (c *mrtrConn) remember(ev *session.Event, i int, asked rule.Object) {
	x, m := ev.Exchange, ev.Message
	state, questions := m.Field(jsonrpc.ResultRequestState), m.Field(jsonrpc.ResultInputRequests)
	text, ok := decodedText(ev, state)
	if i < 0 || state.Present() && !ok || questions.Present() && asked == nil || len(x.ID) >= maxRoundID || x.Way == session.WayOut {
		c.forgot = c.forgot || x.Way != session.WayOut
		return
	}
	k := &c.calls[i]
	c.forgot = rule.Push(&c.rounds, round{
		method: x.Method, target: x.Target, id: strings.Clone(x.ID),
		args: bytes.Clone(k.args), argsKnown: k.argsKnown,
		state: text, stateful: state.Present(),
		keys: slices.Sorted(maps.Keys(asked)),
	}, maxRounds) || c.forgot
}

// decodedText returns the value of a string of any length.
func decodedText(ev *session.Event, v *jsonrpc.Value) (string, bool) {
	if v.Type != jsonrpc.String {
		return "", false
	}
	var s string
	text := rule.FieldText(ev, v)
	return s, text != nil && json.Unmarshal(text, &s) == nil
}

// repeated judges a request that continues an earlier round.
func (c *mrtrConn) repeated(ev *session.Event, r session.Reporter) {
	if !rule.ByClient(ev) || c.forgot || !c.Reads(ev, session.S2C) {
		return
	}
	x, m := ev.Exchange, ev.Message
	state := m.Field(jsonrpc.ParamRequestState)
	text, ok := decodedText(ev, state)
	if state.Present() && !ok {
		return
	}
	of := c.roundOf(x, text, state.Present(), ev, r)
	if of == nil {
		return
	}
	if x.ID == of.id {
		r.Report(mrtrIDReused.At(ev, "%s has the id %s of the previous round", rule.NameOf(x), rule.Short([]byte(x.ID))))
	}
	c.answers(ev, r, of)
	c.params(ev, r, of)
}

// roundOf returns the round that a request continues, nil if that is uncertain,
// and reports a requestState that matches none.
func (c *mrtrConn) roundOf(x *session.Exchange, state string, stateful bool, ev *session.Event, r session.Reporter) *round {
	var exact *round
	like, fitting := 0, 0
	for i := range c.rounds {
		o := &c.rounds[i]
		same := o.method == x.Method && o.target == x.Target
		if same {
			like++
		}
		switch {
		case stateful && o.stateful && o.state == state && (exact == nil || same):
			exact = o
		case !stateful && !o.stateful && same:
			exact = o
			fitting++
		}
	}
	switch {
	case exact != nil && fitting > 1:
		return nil
	case exact != nil || like == 0:
		return exact
	case !stateful:
		r.Report(mrtrStateAltered.At(ev, "%s does not return requestState", rule.NameOf(x)))
	case slices.ContainsFunc(c.rounds, func(o round) bool { return o.method == x.Method && o.target == x.Target && o.stateful }):
		r.Report(mrtrStateAltered.At(ev, "%s has a different requestState than the server sent", rule.NameOf(x)))
	default:
		r.Report(mrtrStateAltered.At(ev, "%s has a requestState, but the server sent none", rule.NameOf(x)))
	}
	return nil
}

// answers judges whether every input request is answered.
func (c *mrtrConn) answers(ev *session.Event, r session.Reporter, of *round) {
	v := ev.Message.Field(jsonrpc.ParamInputResponses)
	given, ok := rule.ParseObject(rule.FieldText(ev, v))
	if v.Present() && !ok {
		return
	}
	for _, key := range of.keys {
		if !given.Has(key) {
			r.Report(mrtrMissingResponse.At(ev, "%s does not answer %s", rule.NameOf(ev.Exchange), rule.Short([]byte(key))))
			return
		}
	}
}

// params judges whether a retried request is unchanged.
func (c *mrtrConn) params(ev *session.Event, r session.Reporter, of *round) {
	x := ev.Exchange
	if of.method != x.Method || of.target != x.Target {
		r.Report(mrtrParamsChanged.At(ev, "%s continues %s of %s", rule.NameOf(x), of.method, rule.Short([]byte(of.target))))
		return
	}
	args := ev.Message.Field(jsonrpc.ParamArguments)
	text := rule.FieldText(ev, args)
	if !of.argsKnown || args.Present() && text == nil || sameArguments(of.args, text) {
		return
	}
	r.Report(mrtrParamsChanged.At(ev, "%s has different arguments than the previous round", rule.NameOf(x)))
}

// sameArguments reports whether two texts are the same arguments. No arguments
// equal an empty object.
func sameArguments(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	decode := func(text []byte) (v any) {
		if len(text) == 0 {
			return map[string]any{}
		}
		if json.Unmarshal(text, &v) != nil {
			return nil
		}
		return v
	}
	return reflect.DeepEqual(decode(a), decode(b))
}

var RoundTrips = rule.Family{
	Name:  "mrtr",
	Title: "Multi-round-trip requests",
	Rules: []*rule.Rule{
		inputRequiredNotAllowed, inputRequiredEmpty, inputRequestInvalid, inputRequestCapability,
		mrtrIDReused, mrtrStateAltered, mrtrMissingResponse, mrtrParamsChanged,
	},
	New: func() session.Checker { return &mrtrConn{} },
}

var inputRequiredNotAllowed = &rule.Rule{ID: "input-required-not-allowed", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var inputRequiredEmpty = &rule.Rule{ID: "input-required-empty", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var inputRequestInvalid = &rule.Rule{ID: "input-request-invalid", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var inputRequestCapability = &rule.Rule{ID: "input-request-capability", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var mrtrIDReused = &rule.Rule{ID: "mrtr-id-reused", Severity: session.Error, Fault: rule.Client, Since: mcp.V5}
var mrtrStateAltered = &rule.Rule{ID: "mrtr-state-altered", Severity: session.Error, Fault: rule.Client, Since: mcp.V5, NeedsAll: true}
var mrtrMissingResponse = &rule.Rule{ID: "mrtr-missing-response", Severity: session.Warning, Fault: rule.Client, Since: mcp.V5}
var mrtrParamsChanged = &rule.Rule{ID: "mrtr-params-changed", Severity: session.Warning, Fault: rule.Client, Since: mcp.V5}
