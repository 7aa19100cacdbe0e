package check

import (
	"fmt"
	"slices"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// sampling judges the params of a sampling.
func (c *questionsConn) sampling(ev *session.Event, q question, r session.Reporter) {
	v := version(ev)
	if fault := samplingFault(q.params); fault != "" {
		r.Report(samplingShape.at(ev, "%s: %s", q.name, fault))
		return
	}
	if sampling, ok := c.client.object("sampling"); ok && !q.modern && samplingToolsUndeclared.in(v) &&
		!sampling.has("tools") && jsonrpc.TypeOf(member(q.params, "tools")) == jsonrpc.Array {
		r.Report(samplingToolsUndeclared.at(ev, "%s has tools, and the client did not declare sampling.tools", q.name))
	}
	if samplingToolBalance.in(v) {
		if fault := balanceFault(member(q.params, "messages")); fault != "" {
			r.Report(samplingToolBalance.at(ev, "%s: %s", q.name, fault))
		}
	}
	context := member(q.params, "includeContext")
	if includeContextDeprecated.in(v) && (isText(context, "thisServer") || isText(context, "allServers")) {
		r.Report(includeContextDeprecated.at(ev, "%s has includeContext %s", q.name, unquote(context)))
	}
}

// samplingFault says what is wrong with the params of a sampling, empty where
// nothing is.
func samplingFault(params []byte) string {
	if fault := messagesFault(member(params, "messages"), true); fault != "" {
		return fault
	}
	if t := jsonrpc.TypeOf(member(params, "maxTokens")); t != jsonrpc.Number {
		return "maxTokens is " + typeName(t) + ", must be a number"
	}
	return ""
}

// maxToolUses is how many tool calls of one message are followed.
const maxToolUses = 64

// balanceFault says where tool calls and their results do not fit together.
func balanceFault(messages []byte) string {
	var open []string
	w := newWalk(messages)
	for i := 0; ; i++ {
		_, message, ok := w.next()
		if !ok {
			break
		}
		uses, results, others := toolBlocks(member(message, "content"))
		for _, id := range open {
			if !slices.Contains(results, id) {
				return fmt.Sprintf("messages[%d] does not answer the tool_use %s of the message before", i, excerpt([]byte(id)))
			}
		}
		if len(results) > 0 && others+len(uses) > 0 {
			return fmt.Sprintf("messages[%d] has tool_result and other content", i)
		}
		open = uses
	}
	if len(open) > 0 {
		return fmt.Sprintf("the tool_use %s of the last message is not answered", excerpt([]byte(open[0])))
	}
	return ""
}

// toolBlocks returns the ids of the calls and of the results in a content, which
// is one block or a list, and how many blocks are neither.
func toolBlocks(content []byte) (uses, results []string, others int) {
	take := func(block []byte) {
		kind := member(block, "type")
		switch {
		case isText(kind, "tool_use") && len(uses) < maxToolUses:
			uses = append(uses, unquote(member(block, "id")))
		case isText(kind, "tool_result"):
			if len(results) < maxToolUses {
				results = append(results, unquote(member(block, "toolUseId")))
			}
		default:
			others++
		}
	}
	if jsonrpc.TypeOf(content) == jsonrpc.Object {
		take(content)
		return uses, results, others
	}
	for w := newWalk(content); ; {
		_, block, ok := w.next()
		if !ok {
			return uses, results, others
		}
		take(block)
	}
}
