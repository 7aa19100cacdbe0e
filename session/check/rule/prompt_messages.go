package rule

import (
	"fmt"

	"wiretea/session/jsonrpc"
)

// MessagesFault says what is wrong with messages, empty where nothing is. The content of
// one is a block, or where several may be also an array of them.
func MessagesFault(messages []byte, several bool) string {
	if t := jsonrpc.TypeOf(messages); t != jsonrpc.Array {
		return "messages is " + TypeName(t) + ", must be an array"
	}
	w := NewWalk(messages)
	for i := 0; ; i++ {
		_, message, ok := w.Next()
		if !ok {
			return ""
		}
		role, content := Member(message, "role"), Member(message, "content")
		switch {
		case jsonrpc.TypeOf(message) != jsonrpc.Object:
			return fmt.Sprintf("messages[%d] is %s, must be an object", i, TypeName(jsonrpc.TypeOf(message)))
		case role == nil:
			return fmt.Sprintf("messages[%d] has no role", i)
		case !IsText(role, "user") && !IsText(role, "assistant"):
			return fmt.Sprintf("the role of messages[%d] is %s, must be user or assistant", i, roleText(role))
		case jsonrpc.TypeOf(content) != jsonrpc.Object && !(several && jsonrpc.TypeOf(content) == jsonrpc.Array):
			return fmt.Sprintf("the content of messages[%d] is %s, must be a block", i, TypeName(jsonrpc.TypeOf(content)))
		}
	}
}

func roleText(role []byte) string {
	if jsonrpc.TypeOf(role) == jsonrpc.String {
		return Short(role)
	}
	return TypeName(jsonrpc.TypeOf(role))
}
