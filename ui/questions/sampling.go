package questions

import (
	"encoding/json"
	"fmt"
	"strings"

	"wiretea/ui/format"
	"wiretea/ui/overlay"
)

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
			words = append(words, fmt.Sprintf("(%s %s, %s)", block.Type, block.MimeType, format.Size(int64(len(block.Data)*3/4))))
		}
	}
	return words
}
