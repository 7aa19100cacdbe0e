package client

import (
	"encoding/json"
)

// ToolFailed reports whether a tool's result says that it failed.
func ToolFailed(result json.RawMessage) bool {
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && r.IsError
}
