package client

import (
	"encoding/json"
	"errors"
	"fmt"

	"wiretea/session/mcp"
)

// capabilities returns the JSON object of what this client can do, in the words
// of a protocol version: what the user wants declared, else what is true.
// tasks adds the extension, for requests that may become tasks; in the legacy
// era we need not declare anything to ask for one.
func (c *Client) capabilities(version string, tasks bool) json.RawMessage {
	if c.caps != nil {
		return c.caps
	}
	// A version that was never published has everything.
	v, _ := mcp.ParseVersion(version)
	has := func(path string) bool {
		row, ok := mcp.LookupCapability(mcp.ClientSide, path)
		return ok && row.In(v)
	}
	var list []member
	declare := func(key string, value json.RawMessage) {
		list = append(list, member{key: key, value: value})
	}
	if c.roots.Result != nil || c.cfg.AskRoots != nil {
		declare("roots", json.RawMessage(`{}`))
	}
	if c.cfg.Sampling != nil {
		declare("sampling", flags(c.cfg.SamplingTools && has("sampling.tools"), "tools", false, ""))
	}
	switch form, url := c.cfg.Form != nil, c.cfg.URL != nil; {
	case has("elicitation.form") && (form || url):
		declare("elicitation", flags(form, formMode, url, urlMode))
	case has("elicitation") && form:
		declare("elicitation", json.RawMessage(`{}`)) // there is no other mode yet
	}
	if tasks && has("extensions") {
		declare("extensions", fmt.Appendf(nil, `{%s:{}}`, quote(mcp.TasksExtension)))
	}
	return withMembers([]byte(`{}`), nil, list)
}

// flags returns an object with the keys that are set, each with the value {}.
func flags(a bool, keyA string, b bool, keyB string) json.RawMessage {
	var list []member
	if a {
		list = append(list, member{key: keyA, value: json.RawMessage(`{}`)})
	}
	if b {
		list = append(list, member{key: keyB, value: json.RawMessage(`{}`)})
	}
	return withMembers([]byte(`{}`), nil, list)
}

// meta returns what each modern request carries ([V5] basic/index §_meta).
func (c *Client) meta(version string, tasks bool) []member {
	return []member{
		{key: mcp.MetaProtocolVersion, value: json.RawMessage(quote(version))},
		{key: mcp.MetaClientCapabilities, value: c.capabilities(version, tasks)},
		{key: mcp.MetaClientInfo, value: c.info()},
	}
}

// info is what clientInfo says.
func (c *Client) info() json.RawMessage {
	if c.given != nil {
		return c.given
	}
	return fmt.Appendf(nil, `{"name":%s,"version":%s}`, quote(c.cfg.Name), quote(c.cfg.Version))
}

// object returns a JSON object on one line; nil = none.
func object(text json.RawMessage) (json.RawMessage, error) {
	text, err := oneLine(text)
	if err == nil && text != nil && text[0] != '{' {
		err = errors.New("not a JSON object")
	}
	return text, err
}
