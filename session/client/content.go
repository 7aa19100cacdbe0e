package client

import "encoding/json"

// A Content is one part of a result or a message, in any of the shapes that the
// protocol has for one.
type Content struct {
	Type     string          `json:"type"`
	Text     *string         `json:"text"`
	Blob     *string         `json:"blob"`
	Data     *string         `json:"data"`
	MimeType string          `json:"mimeType"`
	URI      string          `json:"uri"`
	Resource *Content        `json:"resource"`
	Content  json.RawMessage `json:"content"` // Content is a prompt message's.
}

// Texts returns the texts of a result in their order, and its parts that are not
// text.
func Texts(result json.RawMessage) (texts []string, other []Content) {
	var r struct {
		Content    json.RawMessage `json:"content"`
		Contents   json.RawMessage `json:"contents"`
		Messages   []Content       `json:"messages"`
		Completion struct {
			Values []string `json:"values"`
		} `json:"completion"`
	}
	// A member of another type leaves its field empty and the others set.
	_ = json.Unmarshal(result, &r)
	parts := append(Contents(r.Content), Contents(r.Contents)...)
	for _, m := range r.Messages {
		parts = append(parts, Contents(m.Content)...)
	}
	for _, p := range parts {
		if p.Resource != nil {
			p = *p.Resource
		}
		if p.Text != nil {
			texts = append(texts, *p.Text)
			continue
		}
		other = append(other, p)
	}
	return append(texts, r.Completion.Values...), other
}

// Contents reads a list of contents, or a single one.
func Contents(raw json.RawMessage) []Content {
	var many []Content
	if json.Unmarshal(raw, &many) == nil {
		return many
	}
	var one Content
	if json.Unmarshal(raw, &one) == nil {
		return []Content{one}
	}
	return nil
}

// ToolFailed reports whether a tool's result says that it failed.
func ToolFailed(result json.RawMessage) bool {
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && r.IsError
}
