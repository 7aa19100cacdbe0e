package requests

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/composer/form"
	"wiretea/ui/overlay"
	"wiretea/ui/source"
)

// kind is what a question wants.
type kind uint8

const (
	wantsForm     kind = iota // wantsForm: data for a form.
	wantsVisit                // wantsVisit: that a URL is visited.
	wantsSampling             // wantsSampling: what a model would answer.
	wantsRoots                // wantsRoots: the folders.
	wantsOther                // wantsOther: something that has no form; only raw JSON answers it.
)

var kindWords = [...]string{wantsForm: "form", wantsVisit: "url", wantsSampling: "sampling", wantsRoots: "roots", wantsOther: "something"}

// maxSaid bounds each text of a question, in characters.
const maxSaid = 20_000

// newBox reads a question. It costs as much as the question is long, and
// is called in a command.
func newBox(of *Questions, one *source.Question, snap *session.Snapshot) *box {
	b := &box{of: of, one: one, occasion: occasionOf(snap, one.For)}
	switch one.Method {
	case mcp.ElicitationCreate:
		b.elicitation(one.Elicitation())
	case mcp.SamplingCreateMessage:
		b.sampling(one.Params)
	case mcp.RootsList:
		b.roots()
	default:
		b.kind = wantsOther
		b.say(overlay.Strong, "The server asks "+one.Method+".")
		b.say(overlay.Quote, string(one.Params))
	}
	b.asks = strings.Join(strings.Fields(b.parts[0].Text), " ")
	return b
}

// occasionOf names the request of ours that a question is part of, by the raw
// text of its id: "tools/call greet, #12". It is empty where that is not known.
func occasionOf(snap *session.Snapshot, id string) string {
	const far = 1 << 16
	if id == "" {
		return ""
	}
	for i, n := snap.Len()-1, 0; i >= 0 && n < far; i, n = i-1, n+1 {
		r := snap.Row(uint32(i))
		if r.Kind == session.RowRequest && r.Stream == session.C2S && snap.ID(r) == id {
			name := strings.TrimSpace(snap.Name(r.Method) + " " + snap.Name(r.Target))
			return fmt.Sprintf("%s, #%d", text.Visible([]byte(name), 100), r.N)
		}
	}
	return ""
}

// say adds a paragraph to what the question says, fit for the screen. Its line ends stay.
func (b *box) say(kind overlay.Kind, words string) {
	lines := strings.Split(strings.ReplaceAll(words, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = text.Visible([]byte(line), maxSaid)
	}
	b.parts = append(b.parts, kind.Of(strings.Join(lines, "\n")))
}

func (b *box) elicitation(ask client.Elicitation) {
	b.say(overlay.Strong, cmp.Or(ask.Message, "(the server does not say why)"))
	switch ask.Mode {
	case "form":
		b.kind = wantsForm
		b.form = form.New(form.Config{
			Title: "your answer", Schema: ask.Schema, Message: []byte(`{"action":"accept","content":{}}`), Path: []string{"content"}, Buttons: true,
		})
		b.result = func(f filled) (client.Answer, error) { return rawAnswer(f.line) }
	case "url":
		b.kind, b.url = wantsVisit, ask.URL
		b.parts = append(b.parts, urlParts(ask.URL)...)
	default:
		b.kind = wantsOther
		b.say(overlay.Warn, "Unknown elicitation mode "+ask.Mode+".")
	}
}

// samplingSchema is the form of an answer to a sampling request.
const samplingSchema = `{"type":"object","required":["text"],"properties":{
"text":{"type":"string","title":"answer","description":"what the model says; ctrl-j begins a line"},
"model":{"type":"string","default":"wiretea","description":"the name of the model"},
"stopReason":{"type":"string","enum":["endTurn","stopSequence","maxTokens"],"default":"endTurn"}}}`

func (b *box) sampling(params json.RawMessage) {
	b.kind = wantsSampling
	b.say(overlay.Strong, "The server wants a model's answer. You are the model.")
	for _, part := range samplingParts(params) {
		b.say(part.Kind, part.Text)
	}
	b.form = form.New(form.Config{Title: "the model's answer", Schema: []byte(samplingSchema), Buttons: true})
	b.result = func(f filled) (client.Answer, error) {
		var a struct{ Text, Model, StopReason string }
		if err := json.Unmarshal(f.values, &a); err != nil {
			return client.Answer{}, fmt.Errorf("the answer cannot be read: %w", err)
		}
		return client.Sampled(a.Text, a.Model, a.StopReason), nil
	}
	b.rawFrom = `{"role":"assistant","content":{"type":"text","text":""},"model":"wiretea","stopReason":"endTurn"}`
}

// rootsSchema is the form of an answer to roots/list.
const rootsSchema = `{"type":"object","properties":{"folders":{"type":"array","items":{"type":"string"},"description":"paths or file:// URIs; the list may be empty"}}}`

func (b *box) roots() {
	b.kind = wantsRoots
	b.say(overlay.Strong, "What are your roots?")
	b.say(overlay.Strong, "They are the folders that the server may work in. It is told their paths, nothing more.")
	values := []byte(`{"folders":[]}`)
	if dir, err := os.Getwd(); err == nil {
		if text, err := json.Marshal(map[string][]string{"folders": {dir}}); err == nil {
			values = text
		}
	}
	b.form = form.New(form.Config{Title: "your roots", Schema: []byte(rootsSchema), Values: values, Buttons: true})
	b.result = func(f filled) (client.Answer, error) {
		var a struct{ Folders []string }
		if err := json.Unmarshal(f.values, &a); err != nil {
			return client.Answer{}, fmt.Errorf("the folders cannot be read: %w", err)
		}
		return client.RootsAnswer(a.Folders)
	}
	b.rawFrom = `{"roots":[]}`
}

// A filled is what a form held when it was sent: its values, and the whole message
// that they are a part of.
type filled struct{ values, line []byte }

// rawAnswer is bytes as an answer, if they are JSON.
func rawAnswer(text []byte) (client.Answer, error) {
	if !json.Valid(text) {
		return client.Answer{}, fmt.Errorf("the answer must be JSON")
	}
	return client.Answer{Result: text}, nil
}

// samplingParams is a sampling request, as far as it can be read.
type samplingParams struct {
	System   string `json:"systemPrompt"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Preferences struct {
		Hints []struct {
			Name string `json:"name"`
		} `json:"hints"`
		Cost         json.Number `json:"costPriority"`
		Speed        json.Number `json:"speedPriority"`
		Intelligence json.Number `json:"intelligencePriority"`
	} `json:"modelPreferences"`
	Context     string      `json:"includeContext"`
	MaxTokens   json.Number `json:"maxTokens"`
	Temperature json.Number `json:"temperature"`
	Stop        []string    `json:"stopSequences"`
	Tools       []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tools"`
	Choice struct {
		Mode string `json:"mode"`
	} `json:"toolChoice"`
}

// samplingParts is what a sampling request says: the system prompt, the messages,
// the tools and the wishes.
func samplingParts(params json.RawMessage) []overlay.Part {
	var p samplingParams
	_ = json.Unmarshal(params, &p) // members of a wrong type stay empty
	var parts []overlay.Part
	if p.System != "" {
		parts = append(parts, overlay.Strong.Of("system:"), overlay.Quote.Of(p.System))
	}
	for _, m := range p.Messages {
		parts = append(parts, overlay.Strong.Of(m.Role+":"))
		for _, words := range contentWords(m.Content) {
			parts = append(parts, overlay.Quote.Of(words))
		}
	}
	if len(p.Tools) > 0 {
		words := "tools"
		if p.Choice.Mode != "" {
			words += ", to be used: " + p.Choice.Mode
		}
		parts = append(parts, overlay.Strong.Of(words+":"))
	}
	for _, tool := range p.Tools {
		parts = append(parts, overlay.Quote.Of(strings.TrimSpace(tool.Name+"  "+tool.Description)))
	}
	if words := p.wishes(); words != "" {
		parts = append(parts, overlay.Strong.Of(words))
	}
	return parts
}

// wishes are what a server wants of the model, in a line.
func (p *samplingParams) wishes() string {
	var words []string
	add := func(name, value string) {
		if value != "" {
			words = append(words, name+" "+value)
		}
	}
	add("at most", p.MaxTokens.String())
	if len(words) > 0 {
		words[0] += " tokens"
	}
	var hints []string
	for _, h := range p.Preferences.Hints {
		hints = append(hints, h.Name)
	}
	add("model", strings.Join(hints, ", else "))
	add("cost", p.Preferences.Cost.String())
	add("speed", p.Preferences.Speed.String())
	add("intelligence", p.Preferences.Intelligence.String())
	add("temperature", p.Temperature.String())
	if p.Context != "" && p.Context != "none" {
		add("context", p.Context)
	}
	for _, stop := range p.Stop {
		words = append(words, fmt.Sprintf("stop at %q", stop))
	}
	return strings.Join(words, " · ")
}

// contentWords are the blocks of a message's content, which is one of them or a
// list: texts as they are, all else in a few words.
func contentWords(content json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(content, &list) != nil {
		list = []json.RawMessage{content}
	}
	var words []string
	for _, one := range list {
		var block struct {
			Type, Text, MimeType, Name, ToolUseID string
			Data                                  string
			Input                                 json.RawMessage
			Content                               json.RawMessage
		}
		switch err := json.Unmarshal(one, &block); {
		case err != nil || block.Type == "":
			words = append(words, string(one))
		case block.Type == "text":
			words = append(words, block.Text)
		case block.Type == "tool_use":
			words = append(words, fmt.Sprintf("uses %s %s", block.Name, block.Input))
		case block.Type == "tool_result":
			words = append(words, fmt.Sprintf("result of %s: %s", block.ToolUseID, block.Content))
		default:
			words = append(words, fmt.Sprintf("(%s %s, %s)", block.Type, block.MimeType, text.Size(int64(len(block.Data)*3/4))))
		}
	}
	return words
}
