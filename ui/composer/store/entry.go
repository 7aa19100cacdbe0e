package store

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// An Entry is a message that was composed.
type Entry struct {
	At     time.Time       `json:"at"`
	Method string          `json:"method,omitempty"`
	Name   string          `json:"name,omitempty"`   // Name is the tool's, the prompt's, the resource's or the template's.
	Params json.RawMessage `json:"params,omitempty"` // Params are its parameters; nil = none.

	// URI is the URI template of a resource that Params are the variables of;
	// empty = they are the parameters.
	URI string `json:"uriTemplate,omitempty"`

	// Text is what was typed where that was not a request: a whole message of its
	// own, or in Bytes the notation of any bytes.
	Text  string `json:"text,omitempty"`
	Bytes bool   `json:"bytes,omitempty"`

	// Template is the name of a template; empty for a message that was sent.
	Template string `json:"template,omitempty"`

	// Removed are the paths of the values that were secret and are not here:
	// "arguments.password".
	Removed []string `json:"removed,omitempty"`
}

// same reports whether two entries say the same, whenever it was.
func (e *Entry) same(o *Entry) bool {
	return e.Method == o.Method && e.Name == o.Name && e.URI == o.URI && e.Text == o.Text && e.Bytes == o.Bytes &&
		e.Template == o.Template && bytes.Equal(e.Params, o.Params) && slices.Equal(e.Removed, o.Removed)
}

// size is about how long the entry is in the file, in bytes.
func (e *Entry) size() int { return len(e.Params) + len(e.Text) + len(e.Name) + len(e.URI) + 200 }
