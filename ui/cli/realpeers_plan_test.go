//go:build realpeers

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A peerPlan is what a client does, from the handshake to the close. The programs in
// .ci/peers and sdkclient read it as JSON.
type peerPlan struct {
	Sampling    json.RawMessage `json:"sampling"`    // Sampling answers what the server samples.
	Elicitation json.RawMessage `json:"elicitation"` // Elicitation answers what it elicits.
	Roots       []peerRoot      `json:"roots"`
	Steps       []peerStep      `json:"steps"`
	Strict      bool            `json:"strict,omitempty"` // Strict: the client ends with an error at the first step that fails.
}

type peerRoot struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// A peerStep is one act of a client. Do says which: tools, resources, templates and
// prompts list; call calls a tool, parallel does so N times at once, cancel gives
// the call up, held does the step Meanwhile until the call is answered, repeat calls
// until the answer has the text Has; read, prompt, complete, level, ping, subscribe and unsubscribe are
// what they are called.
type peerStep struct {
	Do   string          `json:"do"`
	Name string          `json:"name,omitempty"` // Name is of a tool or prompt.
	URI  string          `json:"uri,omitempty"`
	Args json.RawMessage `json:"args,omitempty"` // Args are arguments; of complete, all parameters.
	Meta map[string]any  `json:"meta,omitempty"`

	Level    string `json:"level,omitempty"`
	N        int    `json:"n,omitempty"`
	Big      int    `json:"big,omitempty"`      // Big is how often "é☕", 5 bytes, is repeated in the message.
	Progress int    `json:"progress,omitempty"` // Progress is how many notifications of it come.
	Logs     int    `json:"logs,omitempty"`     // Logs is how many log messages have come by then, in the whole session.
	Begun    bool   `json:"begun,omitempty"`    // Begun waits with cancelling until the server reports progress.

	Meanwhile string `json:"meanwhile,omitempty"`
	Has       string `json:"has,omitempty"`
}

// basicSteps is what every server here has.
var basicSteps = []peerStep{
	{Do: "tools"}, {Do: "resources"}, {Do: "templates"}, {Do: "prompts"},
	{Do: "call", Name: "echo", Args: json.RawMessage(`{"message":"hé ☕\u2028\u0001"}`)},
	{Do: "call", Name: "echo", Big: 250_000},
	{Do: "call", Name: "echo", Args: json.RawMessage(`{"message":1}`)},
	{Do: "call", Name: "no such tool"},
	{Do: "parallel", Name: "echo", N: 50},
}

// teaPlan uses all that the servers of ours have: sdkserver, and those in
// .ci/peers.
func teaPlan(era string) peerPlan {
	work := peerStep{Do: "call", Name: "work", Progress: 3, Logs: 3}
	steps := append([]peerStep{{Do: "cancel", Name: "wait", Begun: true}}, basicSteps...)
	if era == "legacy" {
		steps = append(steps, peerStep{Do: "level", Level: "info"}, peerStep{Do: "ping"})
	} else {
		work.Meta = map[string]any{"io.modelcontextprotocol/logLevel": "info"}
	}
	return newPeerPlan(append(steps,
		work,
		peerStep{Do: "call", Name: "fail"},
		peerStep{Do: "call", Name: "roots"}, peerStep{Do: "call", Name: "elicit"}, peerStep{Do: "call", Name: "sample"},
		peerStep{Do: "read", URI: "tea://menu"}, peerStep{Do: "read", URI: "tea://pot/2"}, peerStep{Do: "read", URI: "tea://no"},
		peerStep{Do: "prompt", Name: "offer", Args: json.RawMessage(`{"guest":"Ada"}`)},
		peerStep{Do: "complete", Args: json.RawMessage(`{"ref":{"type":"ref/prompt","name":"offer"},"argument":{"name":"guest","value":"A"}}`)},
	)...)
}

// unleveledPlan is teaPlan without the level: servers of the Python SDK declare none.
func unleveledPlan(era string) peerPlan {
	p := teaPlan(era)
	p.Steps = slices.DeleteFunc(p.Steps, func(s peerStep) bool { return s.Do == "level" })
	return p
}

// quietPlan is teaPlan without what needs notifications: a response in JSON has none.
func quietPlan(era string) peerPlan {
	p := teaPlan(era)
	p.Steps = slices.DeleteFunc(p.Steps, func(s peerStep) bool { return s.Progress > 0 || s.Begun })
	return p
}

// everythingPlan uses npm's server-everything.
func everythingPlan(string) peerPlan {
	const document = "demo://resource/static/document/features.md"
	steps := append([]peerStep{{Do: "cancel", Name: "trigger-long-running-operation", Args: json.RawMessage(`{"duration":1,"steps":1}`)}}, basicSteps...)
	return newPeerPlan(append(steps,
		// The server asks for the roots 350 ms after the handshake, and logs that.
		peerStep{Do: "call", Name: "trigger-long-running-operation", Args: json.RawMessage(`{"duration":0.3,"steps":3}`), Progress: 3, Logs: 1},
		peerStep{Do: "call", Name: "get-env"}, peerStep{Do: "call", Name: "get-roots-list"},
		peerStep{Do: "call", Name: "trigger-sampling-request", Args: json.RawMessage(`{"prompt":"Tea?"}`)},
		peerStep{Do: "call", Name: "trigger-elicitation-request"},
		peerStep{Do: "call", Name: "get-structured-content", Args: json.RawMessage(`{"location":"New York"}`)},
		peerStep{Do: "call", Name: "get-tiny-image"},
		peerStep{Do: "level", Level: "info"}, peerStep{Do: "ping"},
		peerStep{Do: "subscribe", URI: document}, peerStep{Do: "unsubscribe", URI: document},
		peerStep{Do: "read", URI: document}, peerStep{Do: "read", URI: "tea://no"},
		peerStep{Do: "prompt", Name: "args-prompt", Args: json.RawMessage(`{"city":"Rome"}`)},
		peerStep{Do: "complete", Args: json.RawMessage(`{"ref":{"type":"ref/prompt","name":"completable-prompt"},"argument":{"name":"department","value":"S"}}`)},
	)...)
}

// overHTTP returns a plan with what works over HTTP: version 2 of the Python SDK takes
// events of 1 MiB, and the cancellation of a call that has not begun is another request,
// which may come first.
func overHTTP(plan func(era string) peerPlan) func(era string) peerPlan {
	return func(era string) peerPlan {
		p := plan(era)
		p.Steps = slices.DeleteFunc(p.Steps, func(s peerStep) bool { return s.Do == "cancel" && !s.Begun })
		for i := range p.Steps {
			p.Steps[i].Big = min(p.Steps[i].Big, 60_000)
		}
		return p
	}
}

func newPeerPlan(steps ...peerStep) peerPlan {
	return peerPlan{
		Sampling:    json.RawMessage(`{"role":"assistant","model":"tea","content":{"type":"text","text":"a cup"}}`),
		Elicitation: json.RawMessage(`{"action":"accept","content":{"name":"Ada","cups":2}}`),
		Roots:       []peerRoot{{URI: "file:///tmp", Name: "tmp"}},
		Steps:       steps,
	}
}

// write returns the plan's file.
func (p peerPlan) write(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
