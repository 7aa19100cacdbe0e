package rule

import (
	"fmt"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
)

// messageNeeds are what the messages of a prompt and of a sampling request have.
var messageNeeds = []Need{{"messages[].role", jsonrpc.Absent}}

// MessagesFault says what is wrong with the member messages of an object, empty
// if nothing is. The content of a message is a block, or with several also an
// array of blocks.
func MessagesFault(object []byte, several bool) string {
	if lack := Lack(object, messageNeeds); lack != "" {
		return lack
	}
	for i, message := range lex.Items(lex.Get(object, "messages")) {
		role, content := lex.Get(message, "role"), jsonrpc.TypeOf(lex.Get(message, "content"))
		switch {
		case !lex.IsText(role, "user") && !lex.IsText(role, "assistant"):
			return fmt.Sprintf("messages[%d].role is %s, must be user or assistant", i, roleText(role))
		case content != jsonrpc.Object && !(several && content == jsonrpc.Array):
			return fmt.Sprintf("messages[%d].content is %s, must be a block", i, TypeName(content))
		}
	}
	return ""
}

func roleText(role []byte) string {
	if jsonrpc.TypeOf(role) == jsonrpc.String {
		return Short(role)
	}
	return TypeName(jsonrpc.TypeOf(role))
}
