package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// clientCaps are the client capabilities that the demo uses.
type clientCaps struct {
	Roots       *struct{} `json:"roots"`
	Sampling    *struct{} `json:"sampling"`
	Elicitation *struct {
		Form *struct{} `json:"form"`
		URL  *struct{} `json:"url"`
	} `json:"elicitation"`
	Extensions map[string]json.RawMessage `json:"extensions"`
}

// form reports whether the client supports forms. A client that declares no
// mode supports forms ([V4] client/elicitation §Capabilities).
func (c *clientCaps) form() bool {
	return c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// A question is a request of a tool to the client.
type question struct {
	key    string // key is its key in inputRequests, and in requestState.
	method string
	params func(r *request) string // params are an object's text; nil = there are none.
	can    func(c *clientCaps) bool
	lacks  string // lacks is the result for a client without the capability.
	refuse string // refuse is the result if the client answers with an error.
	then   func(s *server, r *request, result json.RawMessage)
}

var rootsQuestion = &question{
	key: "roots", method: mcp.RootsList,
	can:    func(c *clientCaps) bool { return c.Roots != nil },
	lacks:  "Your client declares no roots.",
	refuse: "Your client did not return its roots.",
	then:   func(s *server, r *request, result json.RawMessage) { s.text(r, "Your roots: "+string(result)) },
}

var formQuestion = &question{
	key: "order", method: mcp.ElicitationCreate,
	params: func(r *request) string {
		return "{" + join(r.since(mcp.V4, `"mode":"form"`),
			`"message":"Which tea would you like?"`,
			`"requestedSchema":{"type":"object","required":["tea"],"properties":{`+
				`"tea":{"type":"string","title":"Tea","enum":["green","black","herbal"],"default":"green"},`+
				`"cups":{"type":"integer","title":"Cups","minimum":1,"maximum":12,"default":1},`+
				`"name":{"type":"string","title":"Name","description":"who it is for"},`+
				`"milk":{"type":"boolean","title":"Milk","default":false}}}`) + "}"
	},
	can:    (*clientCaps).form,
	lacks:  "Your client declares no elicitation of forms.",
	refuse: "Your client did not answer the form.",
	then: func(s *server, r *request, result json.RawMessage) {
		var a struct {
			Action  string
			Content json.RawMessage
		}
		if json.Unmarshal(result, &a) != nil || a.Action != "accept" {
			s.text(r, "No tea then: "+a.Action+".")
			return
		}
		s.text(r, "Your order: "+string(a.Content))
	},
}

var visitQuestion = &question{
	key: "pay", method: mcp.ElicitationCreate,
	params: func(r *request) string {
		id := ""
		if !r.modern() {
			id = `"elicitationId":"demo-pay"`
		}
		return "{" + join(`"mode":"url"`, id, `"message":"Please pay for your tea. (Nothing is there: example.com is for examples.)"`,
			`"url":"https://tea.example.com/pay?order=42"`) + "}"
	},
	can:    func(c *clientCaps) bool { return c.Elicitation != nil && c.Elicitation.URL != nil },
	lacks:  "Your client declares no elicitation of URLs.",
	refuse: "Your client did not answer.",
	then: func(s *server, r *request, result json.RawMessage) {
		var a struct{ Action string }
		_ = json.Unmarshal(result, &a) // then there is none
		s.text(r, "You said: "+a.Action+".")
	},
}

var thinkQuestion = &question{
	key: "model", method: mcp.SamplingCreateMessage,
	params: func(*request) string {
		return `{"messages":[{"role":"user","content":{"type":"text","text":"Write one line about tea."}}],"systemPrompt":"You are a poet of few words.",` +
			`"modelPreferences":{"hints":[{"name":"small"}],"speedPriority":0.9},"maxTokens":100}`
	},
	can:    func(c *clientCaps) bool { return c.Sampling != nil },
	lacks:  "Your client declares no sampling.",
	refuse: "Your client refused to ask a model.",
	then: func(s *server, r *request, result json.RawMessage) {
		var a struct {
			Model   string
			Content struct{ Text string }
		}
		_ = json.Unmarshal(result, &a) // content may be a list
		s.text(r, fmt.Sprintf("%s says: %s", a.Model, strings.TrimSpace(a.Content.Text)))
	},
}

// An open is a tool call that waits for a response of the client.
type open struct {
	of   *request
	asks *question
}

// asker returns a tool that asks a question.
func asker(q *question) func(*server, *request, json.RawMessage) {
	return func(s *server, r *request, _ json.RawMessage) { s.ask(r, q) }
}

// ask asks the client: with a request in the legacy era, with an input_required
// result in the modern one ([V5] basic/patterns/mrtr).
func (s *server) ask(r *request, q *question) {
	params := ""
	if q.params != nil {
		params = `,"params":` + q.params(r)
	}
	if r.modern() {
		var p struct {
			Responses map[string]json.RawMessage `json:"inputResponses"`
		}
		switch err := r.param(&p); {
		case err == nil && p.Responses[q.key] != nil:
			q.then(s, r, p.Responses[q.key])
		case !q.can(r.meta.Capabilities):
			s.toolError(r, q.lacks)
		default:
			s.result(r, fmt.Sprintf(`"resultType":"input_required","inputRequests":{"%s":{"method":"%s"%s}},"requestState":"demo-%s","_meta":{"io.modelcontextprotocol/serverInfo":%s}`,
				q.key, q.method, params, q.key, serverInfo))
		}
		return
	}
	if !q.can(&s.clientCaps) {
		s.toolError(r, q.lacks)
		return
	}
	s.askedN++
	id := lex.Quote(fmt.Sprintf("demo-%d", s.askedN))
	s.asked[id] = open{r, q}
	s.sendFor(r, nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"%s"%s}`, id, q.method, params))
}

// clientAnswered handles the client's response to a request of the server.
func (s *server) clientAnswered(id string, result json.RawMessage) {
	waits, ok := s.asked[id]
	if !ok {
		return
	}
	delete(s.asked, id)
	if result == nil {
		s.toolError(waits.of, waits.asks.refuse)
		return
	}
	waits.asks.then(s, waits.of, result)
}
