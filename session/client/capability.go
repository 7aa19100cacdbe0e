package client

import (
	"encoding/json"
	"errors"
	"fmt"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// capabilities returns the JSON object of what this client can do, in the words
// of a protocol version: what the user wants declared, else what is true.
// tasks adds the extension, for requests that may become tasks; in the legacy
// era we need not declare anything to ask for one.
func (c *Client) capabilities(version string, tasks bool) json.RawMessage {
	if c.declared != nil {
		return c.declared
	}
	// A version that was never published has everything.
	v, _ := mcp.ParseVersion(version)
	has := func(path string) bool {
		row, ok := mcp.LookupCapability(mcp.ClientSide, path)
		return ok && row.In(v)
	}
	var list []lex.Member
	declare := func(key string, value json.RawMessage) {
		list = append(list, lex.Member{Name: key, Value: value})
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
		declare("extensions", fmt.Appendf(nil, `{%s:{}}`, lex.Quote(mcp.TasksExtension)))
	}
	return lex.AppendObject(nil, list...)
}

// flags returns an object with the keys that are set, each with the value {}.
func flags(a bool, keyA string, b bool, keyB string) json.RawMessage {
	var list []lex.Member
	if a {
		list = append(list, lex.Member{Name: keyA, Value: json.RawMessage(`{}`)})
	}
	if b {
		list = append(list, lex.Member{Name: keyB, Value: json.RawMessage(`{}`)})
	}
	return lex.AppendObject(nil, list...)
}

// meta returns what each modern request carries ([V5] basic/index §_meta).
func (c *Client) meta(version string, tasks bool) []lex.Member {
	return []lex.Member{
		{Name: mcp.MetaProtocolVersion, Value: json.RawMessage(lex.Quote(version))},
		{Name: mcp.MetaClientCapabilities, Value: c.capabilities(version, tasks)},
		{Name: mcp.MetaClientInfo, Value: c.info()},
	}
}

// info is what clientInfo says.
func (c *Client) info() json.RawMessage {
	if c.clientInfo != nil {
		return c.clientInfo
	}
	return fmt.Appendf(nil, `{"name":%s,"version":%s}`, lex.Quote(c.cfg.Name), lex.Quote(c.cfg.Version))
}

// object returns a JSON object on one line; nil = none.
func object(text json.RawMessage) (json.RawMessage, error) {
	text, err := oneLine(text)
	if err == nil && text != nil && text[0] != '{' {
		err = errors.New("not a JSON object")
	}
	return text, err
}
