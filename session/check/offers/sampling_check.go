package offers

import (
	"fmt"
	"slices"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
)

// sampling judges the params of a sampling request.
func (c *questionsConn) sampling(ev *session.Event, q question, r session.Reporter) {
	v := rule.Version(ev)
	if fault := samplingFault(q.params); fault != "" {
		r.Report(samplingShape.AtPart(ev, "CreateMessageRequestParams", q.params, []string{"CreateMessageRequestParams.", "SamplingMessage.", "SamplingContent."}, "%s: %s", q.name, fault))
		return
	}
	if sampling, ok := c.client.Object("sampling"); ok && !q.modern && samplingToolsUndeclared.In(v) &&
		!sampling.Has("tools") && jsonrpc.TypeOf(lex.Get(q.params, "tools")) == jsonrpc.Array {
		r.Report(samplingToolsUndeclared.At(ev, "%s has tools, but the client did not declare sampling.tools", q.name))
	}
	if samplingToolBalance.In(v) {
		if fault := balanceFault(lex.Get(q.params, "messages")); fault != "" {
			r.Report(samplingToolBalance.At(ev, "%s: %s", q.name, fault))
		}
	}
	context := lex.Get(q.params, "includeContext")
	if includeContextDeprecated.In(v) && (lex.IsText(context, "thisServer") || lex.IsText(context, "allServers")) {
		r.Report(includeContextDeprecated.At(ev, "%s has includeContext %s", q.name, lex.Unquote(context)))
	}
}

// samplingFault says what is wrong with the params of a sampling request, empty
// if nothing is.
func samplingFault(params []byte) string {
	if fault := rule.MessagesFault(params, true); fault != "" {
		return fault
	}
	return rule.Lack(params, maxTokensNeed)
}

var maxTokensNeed = []rule.Need{{Path: "maxTokens", Type: jsonrpc.Number}}

// maxToolUses is how many tool calls of one message are checked.
const maxToolUses = 64

// balanceFault says where tool calls and results do not match, empty if they
// do.
func balanceFault(messages []byte) string {
	var open []string
	for i, message := range lex.Items(messages) {
		uses, results, others := toolBlocks(lex.Get(message, "content"))
		if others < 0 {
			return ""
		}
		for _, id := range open {
			if !slices.Contains(results, id) {
				return fmt.Sprintf("messages[%d] does not answer the tool_use %s of the previous message", i, rule.Excerpt([]byte(id)))
			}
		}
		if len(results) > 0 && others+len(uses) > 0 {
			return fmt.Sprintf("messages[%d] has tool_result and other content", i)
		}
		open = uses
	}
	if len(open) > 0 {
		return fmt.Sprintf("the tool_use %s of the last message is not answered", rule.Excerpt([]byte(open[0])))
	}
	return ""
}

// toolBlocks returns the ids of the calls and of the results in a content,
// which is one block or an array, and the number of other blocks, -1 if a block
// cannot be read, which invalid-member reports.
func toolBlocks(content []byte) (uses, results []string, others int) {
	unread := false
	take := func(block []byte) {
		kind := lex.Get(block, "type")
		id := lex.Get(block, map[string]string{"tool_use": "id", "tool_result": "toolUseId"}[lex.Unquote(kind)])
		switch {
		case lex.IsText(kind, "tool_use") && len(uses) < maxToolUses:
			uses = append(uses, lex.Unquote(id))
			unread = unread || jsonrpc.TypeOf(id) != jsonrpc.String
		case lex.IsText(kind, "tool_result"):
			if len(results) < maxToolUses {
				results = append(results, lex.Unquote(id))
			}
			unread = unread || jsonrpc.TypeOf(id) != jsonrpc.String
		default:
			others++
			unread = unread || !lex.IsText(kind, "text") && !lex.IsText(kind, "image") && !lex.IsText(kind, "audio")
		}
	}
	if jsonrpc.TypeOf(content) == jsonrpc.Object {
		take(content)
	}
	for _, block := range lex.Items(content) {
		take(block)
	}
	if unread {
		return nil, nil, -1
	}
	return uses, results, others
}
