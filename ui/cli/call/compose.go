package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/cli/term"
)

// compose makes the parameters of a tool or a prompt from what was typed, with
// what the server says of it.
func (c *caller) compose(ctx context.Context, peer *client.Client) error {
	r := c.req
	s, faults, err := c.lookUp(ctx, peer)
	if err != nil {
		return err
	}
	arguments := r.whole
	if arguments == nil {
		var more []string
		arguments, more = typeArguments(r.args, s)
		faults = append(faults, more...)
	} else {
		faults = append(faults, misfits(arguments, s)...)
	}
	if len(faults) > 0 && !c.o.insist {
		return &unmatched{r.title(), faults}
	}
	for _, fault := range faults {
		fmt.Fprintf(c.errw, "wiretea: %s, sent all the same\n", term.Visible(fault))
	}
	members := []member{{"name", jsonString(r.name)}, {"arguments", arguments}}
	if r.kind == callPrompt && len(r.args) == 0 && r.whole == nil {
		members = members[:1]
	}
	r.params = object(members...)
	return nil
}

// lookUp asks the server what the tool or the prompt wants. One that it does not
// list is a fault.
func (c *caller) lookUp(ctx context.Context, peer *client.Client) (schema, []string, error) {
	method, noun := "tools/list", "tool"
	if c.req.kind == callPrompt {
		method, noun = "prompts/list", "prompt"
	}
	all, err := peer.List(ctx, method)
	if err != nil && len(all.Items) == 0 {
		var answer *client.RPCError
		if c.o.insist && errors.As(err, &answer) {
			return schema{}, nil, nil
		}
		return schema{}, nil, fmt.Errorf("asking what the %s wants: %w", noun, err)
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
			return readSchema(promptSchema(item)), nil, nil
		}
		// [V4] basic/utilities/tasks §Tool-Level Negotiation: the client must.
		server := peer.Server()
		c.o.task = c.o.task || it.Execution.Task == "required" && server.Has("tasks.requests.tools.call")
		var faults []string
		if c.o.task && it.Execution.Task == "forbidden" && server.Era == mcp.Legacy {
			faults = append(faults, "the tool cannot be run as a task: its taskSupport is forbidden; without --task it runs")
		}
		return readSchema(it.Schema), faults, nil
	}
	return schema{}, []string{fmt.Sprintf("the server lists no %s %q; %s", noun, c.req.name, term.Nearest(c.req.name, names, "it has "+someOf(names)))}, nil
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
	var properties []member
	required := []string{}
	for _, a := range p.Arguments {
		properties = append(properties, member{a.Name, json.RawMessage(`{"type":"string"}`)})
		if a.Required {
			required = append(required, a.Name)
		}
	}
	names, err := json.Marshal(required)
	if err != nil {
		return nil
	}
	return object(member{"type", json.RawMessage(`"object"`)}, member{"properties", object(properties...)},
		member{"required", names}, member{"additionalProperties", json.RawMessage("false")})
}

// someOf lists names, not too many of them.
func someOf(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return term.ListOr(names, "none")
}
