package compat

import (
	_ "embed"
	"strconv"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/mcp/shape"
)

// membersText has what clients do with members that are wrong. A line is an era, a
// method, a place of package shape, and reactions, each of them kinds of faults, "="
// and a character for each client but rmcp, in the order of Client: 1 it refuses the
// message, 0 it takes it, - unknown. "*" is every method, place, place inside the _meta
// of a result, or kind that has no line of its own. ".ci/real-peers" measures it.
//
//go:embed members.txt
var membersText string

// members are the lines of membersText by era, method, place and kind of fault.
var members = lazy.Value[map[string]string]{New: func() map[string]string {
	all := map[string]string{}
	for line := range lazy.Lines(membersText) {
		fields := strings.Fields(line)
		for _, reaction := range fields[3:] {
			kinds, clients, _ := strings.Cut(reaction, "=")
			for kind := range strings.SplitSeq(kinds, ",") {
				all[strings.Join(fields[:3], " ")+" "+kind] = clients
			}
		}
	}
	return all
}}

// MemberFault returns the kind of a fault in the table of members, and its place: that
// of package shape, with "_meta/" before what is inside the _meta of a result.
func MemberFault(f *shape.Fault) (place, kind string) {
	place = f.Place
	if strings.HasPrefix(f.Any, "_meta[") {
		place = "_meta/" + place
	}
	switch f.Class {
	case shape.Null:
		if f.Required || strings.HasSuffix(f.Place, "]") || strings.HasSuffix(f.Place, "}") {
			return place, "null!"
		}
		return place, "null"
	case shape.WrongType:
		return place, [...]string{jsonrpc.Bool: "bool", jsonrpc.Number: "number", jsonrpc.String: "string", jsonrpc.Array: "array", jsonrpc.Object: "object"}[f.Got]
	case shape.Missing, shape.OutsideEnum, shape.NotInteger, shape.OutOfRange, shape.BadFormat, shape.Neither, shape.Misnamed:
	}
	return place, f.Class.String()
}

// reaction returns the clients' reactions to a kind of fault; empty if nothing was
// measured.
func reaction(era mcp.Era, method, place, kind string) string {
	keys := []string{method + " " + place + " " + kind, method + " * *", "* " + place + " " + kind}
	if strings.HasPrefix(place, "_meta/") {
		keys = append(keys, "* _meta/* "+kind)
	}
	for _, key := range append(keys, "* * "+kind) {
		if found := members.Get()[era.String()+" "+key]; found != "" {
			return found
		}
	}
	return ""
}

// Refuse returns the names of the clients that refuse a message because of a fault in
// a member, in the order of mcp.Clients.
func Refuse(era mcp.Era, method string, f *shape.Fault) []string {
	place, kind := MemberFault(f)
	if f.Class == shape.Misnamed {
		return nil // All ignore it.
	}
	if method == mcp.ToolsCall && (strings.HasPrefix(place, "Task.") || strings.HasPrefix(place, "CreateTaskResult.")) {
		return nil // No call as a task was measured.
	}
	found := reaction(era, method, place, kind)
	var names []string
	for _, known := range mcp.Clients() {
		c := clientOf(known.Name)
		if int(c) >= len(found) || (c == Python1 || c == Python2) && coerced(f) {
			continue
		}
		if found[c] == '1' {
			names = append(names, known.Name)
		}
	}
	return names
}

// coerced reports whether a reader may take a value of the wrong type for one of the
// right type: the Python SDKs read "1" as a number and 1 as a boolean.
func coerced(f *shape.Fault) bool {
	if f.Class != shape.WrongType {
		return false
	}
	switch f.Got {
	case jsonrpc.String:
		text := strings.ToLower(strings.TrimSpace(lex.Unquote(f.Raw)))
		_, err := strconv.ParseFloat(text, 64)
		return err == nil || strings.Contains(" true false yes no on off t f y n ", " "+text+" ")
	case jsonrpc.Number:
		return string(f.Raw) == "0" || string(f.Raw) == "1" || string(f.Raw) == "0.0" || string(f.Raw) == "1.0"
	}
	return false
}

// member returns the member of an object, the last of several; nil where there is
// none.
func member(object []byte, name string) (found []byte) {
	for key, v := range lex.Members(object) {
		if lex.IsText(key, name) {
			found = v
		}
	}
	return found
}
