//go:build realpeers

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// A plan is what a client does, from the handshake to the close. The programs in
// .ci/peers and sdkclient read it as JSON.
type plan struct {
	Sampling    json.RawMessage `json:"sampling"`    // Sampling answers what the server samples.
	Elicitation json.RawMessage `json:"elicitation"` // Elicitation answers what it elicits.
	Roots       []planRoot      `json:"roots"`
	Steps       []step          `json:"steps"`
}

type planRoot struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// A step is one act of a client. Do says which: tools, resources, templates and
// prompts list; call calls a tool, parallel does so N times at once, cancel gives
// the call up; read, prompt, complete, level, ping, subscribe and unsubscribe are
// what they are called.
type step struct {
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
}

// basics is what every server here has.
var basics = []step{
	{Do: "tools"}, {Do: "resources"}, {Do: "templates"}, {Do: "prompts"},
	{Do: "call", Name: "echo", Args: json.RawMessage(`{"message":"hé ☕\u2028\u0001"}`)},
	{Do: "call", Name: "echo", Big: 250_000},
	{Do: "call", Name: "echo", Args: json.RawMessage(`{"message":1}`)},
	{Do: "call", Name: "no such tool"},
	{Do: "parallel", Name: "echo", N: 50},
}

// teaPlan uses all that the servers of ours have: sdkserver, and those in
// .ci/peers.
func teaPlan(era string) plan {
	work := step{Do: "call", Name: "work", Progress: 3, Logs: 3}
	steps := append([]step{{Do: "cancel", Name: "wait", Begun: true}}, basics...)
	if era == "legacy" {
		steps = append(steps, step{Do: "level", Level: "info"}, step{Do: "ping"})
	} else {
		work.Meta = map[string]any{"io.modelcontextprotocol/logLevel": "info"}
	}
	return planned(append(steps,
		work,
		step{Do: "call", Name: "fail"},
		step{Do: "call", Name: "roots"}, step{Do: "call", Name: "elicit"}, step{Do: "call", Name: "sample"},
		step{Do: "read", URI: "tea://menu"}, step{Do: "read", URI: "tea://pot/2"}, step{Do: "read", URI: "tea://no"},
		step{Do: "prompt", Name: "offer", Args: json.RawMessage(`{"guest":"Ada"}`)},
		step{Do: "complete", Args: json.RawMessage(`{"ref":{"type":"ref/prompt","name":"offer"},"argument":{"name":"guest","value":"A"}}`)},
	)...)
}

// everythingPlan uses npm's server-everything.
func everythingPlan(string) plan {
	const document = "demo://resource/static/document/features.md"
	steps := append([]step{{Do: "cancel", Name: "trigger-long-running-operation", Args: json.RawMessage(`{"duration":1,"steps":1}`)}}, basics...)
	return planned(append(steps,
		// The server asks for the roots 350 ms after the handshake, and logs that.
		step{Do: "call", Name: "trigger-long-running-operation", Args: json.RawMessage(`{"duration":0.3,"steps":3}`), Progress: 3, Logs: 1},
		step{Do: "call", Name: "get-env"}, step{Do: "call", Name: "get-roots-list"},
		step{Do: "call", Name: "trigger-sampling-request", Args: json.RawMessage(`{"prompt":"Tea?"}`)},
		step{Do: "call", Name: "trigger-elicitation-request"},
		step{Do: "call", Name: "get-structured-content", Args: json.RawMessage(`{"location":"New York"}`)},
		step{Do: "call", Name: "get-tiny-image"},
		step{Do: "level", Level: "info"}, step{Do: "ping"},
		step{Do: "subscribe", URI: document}, step{Do: "unsubscribe", URI: document},
		step{Do: "read", URI: document}, step{Do: "read", URI: "tea://no"},
		step{Do: "prompt", Name: "args-prompt", Args: json.RawMessage(`{"city":"Rome"}`)},
		step{Do: "complete", Args: json.RawMessage(`{"ref":{"type":"ref/prompt","name":"completable-prompt"},"argument":{"name":"department","value":"S"}}`)},
	)...)
}

func planned(steps ...step) plan {
	return plan{
		Sampling:    json.RawMessage(`{"role":"assistant","model":"tea","content":{"type":"text","text":"a cup"}}`),
		Elicitation: json.RawMessage(`{"action":"accept","content":{"name":"Ada","cups":2}}`),
		Roots:       []planRoot{{URI: "file:///tmp", Name: "tmp"}},
		Steps:       steps,
	}
}

// write returns the plan's file.
func (p plan) write(t *testing.T) string {
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
