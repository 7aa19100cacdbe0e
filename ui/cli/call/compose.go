package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	"wiretea/ui/cli/term"
	"wiretea/ui/composer/arguments"
	"wiretea/ui/format"
)

// compose makes the parameters of a tool or a prompt from what was typed, with
// what the server says of it.
func (c *caller) compose(ctx context.Context, peer *client.Client) error {
	r := c.req
	s, faults, err := c.lookUp(ctx, peer)
	if err != nil {
		return err
	}
	whole := r.whole
	if whole == nil {
		var more []string
		whole, more = arguments.FromWords(r.args, s)
		faults = append(faults, more...)
	} else {
		faults = append(faults, arguments.Misfits(whole, s)...)
	}
	if len(faults) > 0 && !c.o.insist {
		return &unmatched{r.title(), faults}
	}
	for _, fault := range faults {
		fmt.Fprintf(c.errw, "wiretea: %s, sent all the same\n", term.Visible(fault))
	}
	members := []lex.Member{{Name: "name", Value: quoted(r.name)}, {Name: "arguments", Value: whole}}
	if r.kind == callPrompt && len(r.args) == 0 && r.whole == nil {
		members = members[:1]
	}
	r.params = lex.AppendObject(nil, members...)
	return nil
}

// lookUp asks the server what the tool or the prompt wants. One that it does not
// list is a fault.
func (c *caller) lookUp(ctx context.Context, peer *client.Client) (arguments.Schema, []string, error) {
	method, noun := "tools/list", "tool"
	if c.req.kind == callPrompt {
		method, noun = "prompts/list", "prompt"
	}
	all, err := peer.List(ctx, method)
	if err != nil && len(all.Items) == 0 {
		var answer *client.RPCError
		if c.o.insist && errors.As(err, &answer) {
			return arguments.Schema{}, nil, nil
		}
		return arguments.Schema{}, nil, fmt.Errorf("reading the schema of the %s: %w", noun, err)
	}
	var names []string
	for _, item := range all.Items {
		var it struct {
			Name      string          `json:"name"`
			Schema    json.RawMessage `json:"inputSchema"`
			Execution struct {
				Task string `json:"taskSupport"`
			} `json:"execution"`
		}
		_ = json.Unmarshal(item, &it) // an item without a name is nobody's
		if it.Name != c.req.name {
			names = append(names, it.Name)
			continue
		}
		if c.req.kind == callPrompt {
			return arguments.Read(promptSchema(item)), nil, nil
		}
		// [V4] basic/utilities/tasks §Tool-Level Negotiation: the client must.
		server := peer.Server()
		c.o.task = c.o.task || it.Execution.Task == "required" && server.Has("tasks.requests.tools.call")
		var faults []string
		if c.o.task && it.Execution.Task == "forbidden" && server.Era == mcp.Legacy {
			faults = append(faults, "the tool cannot be run as a task: its taskSupport is forbidden; without --task it runs")
		}
		return arguments.Read(it.Schema), faults, nil
	}
	return arguments.Schema{}, []string{fmt.Sprintf("the server lists no %s %q; %s", noun, c.req.name, format.Nearest(c.req.name, names, "it has "+arguments.List(names)))}, nil
}

// promptSchema writes a prompt's arguments as a schema: they are all text.
func promptSchema(prompt json.RawMessage) json.RawMessage {
	var p struct {
		Arguments []struct {
			Name     string `json:"name"`
			Required bool   `json:"required"`
		} `json:"arguments"`
	}
	_ = json.Unmarshal(prompt, &p) // a prompt without arguments has none
	var properties []lex.Member
	required := []string{}
	for _, a := range p.Arguments {
		properties = append(properties, lex.Member{Name: a.Name, Value: []byte(`{"type":"string"}`)})
		if a.Required {
			required = append(required, a.Name)
		}
	}
	names, err := json.Marshal(required)
	if err != nil {
		return nil
	}
	return fmt.Appendf(nil, `{"type":"object","properties":%s,"required":%s,"additionalProperties":false}`, lex.AppendObject(nil, properties...), names)
}
