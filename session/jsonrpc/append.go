package jsonrpc

import (
	"strconv"

	"wiretea/session/json/lex"
)

// AppendRequest appends a request to b, or a notification where id is empty. id and params are
// JSON texts; params may be empty.
func AppendRequest(b []byte, id, method string, params []byte) []byte {
	b = lex.AppendQuote(append(appendID(b, id), `"method":`...), method)
	if len(params) > 0 {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}')
}

// AppendAnswer appends a response to b. id and value are JSON texts. value is the member
// error if failed, else result.
func AppendAnswer(b []byte, id string, failed bool, value []byte) []byte {
	member := `"result":`
	if failed {
		member = `"error":`
	}
	return append(append(append(appendID(b, id), member...), value...), '}')
}

// AppendError appends an error response to b. id and data are JSON texts; id is absent where it
// is empty, and so are data.
func AppendError(b []byte, id string, code int64, message string, data []byte) []byte {
	b = strconv.AppendInt(append(appendID(b, id), `"error":{"code":`...), code, 10)
	b = lex.AppendQuote(append(b, `,"message":`...), message)
	if len(data) > 0 {
		b = append(append(b, `,"data":`...), data...)
	}
	return append(b, "}}"...)
}

func appendID(b []byte, id string) []byte {
	b = append(b, `{"jsonrpc":"2.0",`...)
	if id == "" {
		return b
	}
	return append(append(append(b, `"id":`...), id...), ',')
}
