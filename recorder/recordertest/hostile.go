package recordertest

import (
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/mcp"
)

// Hostile returns a session file whose every text is what value returns for the name of
// its place: each text of each kind of record, for each event that the kind has, each
// member that the protocol knows in params, results and errors of each method, stderr,
// and lines that are not messages. What a reader needs to take a record for one is
// given: kinds, numbers, streams. http makes the session one over HTTP. Unless full, each
// message has a quarter of the members, and each member is in a quarter of the messages.
func Hostile(http, full bool, value func(place string) string) []byte {
	h := &hostile{value: value, http: http, full: full}
	h.header()
	for _, r := range []struct {
		kind, fields string
		events       []string
		of           reflect.Type
	}{
		{"proc", "", []string{"start", "exit", "signal", "orphans", "failed", "?"}, reflect.TypeFor[session.Proc]()},
		{"io", `"d":"s2c",`, []string{"eof", "closed", "blocked", "unblocked", "epipe", "released", "?"}, reflect.TypeFor[session.IOEvent]()},
		{"path", "", []string{"on", "changed", "broken", "off", "?"}, reflect.TypeFor[session.PathEvent]()},
		{"gap", `"d":"s2c",`, []string{""}, reflect.TypeFor[session.Gap]()},
		{"http", `"trip":1,"s":` + h.text("http.s") + ",", []string{"conn", "req", "sent", "res", "sse", "err", "end", "?"}, reflect.TypeFor[session.HTTPEvent]()},
		{"new", "", []string{""}, reflect.TypeFor[session.Header]()},
	} {
		if r.kind == "http" && !http {
			continue
		}
		for _, ev := range r.events {
			given := map[string]string{}
			switch ev {
			case "":
			case "?":
				given["ev"] = h.text(r.kind + ".ev")
			default:
				given["ev"] = quoted(ev)
			}
			h.line(r.kind, r.fields+h.members(r.of, r.kind+"."+ev, given))
		}
	}
	h.messages()
	h.line("gap", `"d":"c2s",`+h.members(reflect.TypeFor[session.Gap](), "gap.disk", map[string]string{"why": `"disk"`}))
	h.line("proc", h.members(reflect.TypeFor[session.Proc](), "proc.last", map[string]string{"ev": `"exit"`}))
	h.line("end", h.members(reflect.TypeFor[session.End](), "end", nil))
	return []byte(h.out.String())
}

type hostile struct {
	value func(place string) string
	http  bool
	full  bool
	out   strings.Builder
	n     int
}

func (h *hostile) text(place string) string { return quoted(h.value(place)) }

func (h *hostile) line(kind, fields string) {
	h.n++
	fmt.Fprintf(&h.out, `{"k":%q,"n":%d,"t":%d,%s}`+"\n", kind, h.n, h.n*1_000_000, fields)
}

func (h *hostile) header() {
	given := map[string]string{"fmt": `"mcpcap"`, "v": "2", "minv": "1", "tr": `"stdio"`, "lim": `{"timeouts":{` + h.text("hdr.timeouts") + `:1}}`}
	if h.http {
		given["tr"] = `"http"`
	}
	h.out.WriteString(`{"k":"hdr",` + h.members(reflect.TypeFor[session.Header](), "hdr", given) + "}\n")
}

// members returns the members that a type has in a file: those that are given, in the
// texts the places' values, else something.
func (h *hostile) members(of reflect.Type, place string, given map[string]string) string {
	var list []string
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		text, ok := given[name]
		if !ok {
			text = h.any(f.Type, place+"."+name)
		}
		list = append(list, quoted(name)+":"+text)
	}
	return strings.Join(list, ",")
}

// any returns a value of a type.
func (h *hostile) any(of reflect.Type, place string) string {
	switch of.Kind() {
	case reflect.String:
		return h.text(place)
	case reflect.Slice:
		return "[" + h.any(of.Elem(), place) + "]"
	case reflect.Map:
		return "{" + h.text(place+" key") + ":" + h.any(of.Elem(), place) + "}"
	case reflect.Pointer:
		return h.any(of.Elem(), place)
	case reflect.Bool:
		return "false"
	case reflect.Struct:
		if of == reflect.TypeFor[time.Time]() {
			return `"2026-11-20T10:00:00Z"`
		}
		return "{" + h.members(of, place, nil) + "}"
	}
	return "1"
}

// frame writes a frame whose body is of the form b, s or x.
func (h *hostile) frame(stream, form, body string) {
	place := "f." + stream
	fields := fmt.Sprintf(`"d":%q,"y":"q","id":%s,"m":%s,"o":%s,"by":%s,"pre":%s,"post":%s,"mid":[[1,%s]],"e":%s,`, stream,
		h.text(place+".id"), h.text(place+".m"), h.text(place+".o"), h.text(place+".by"), h.text(place+".pre"), h.text(place+".post"), h.text(place+".mid"), h.text(place+".e"))
	switch way := []string{"", "in", "out"}[h.n%3]; {
	case way != "":
		fields += fmt.Sprintf(`"way":%q,"of":%d,"t1":%d,`, way, h.n, h.n*1_000_000)
	case h.n%2 == 0:
		fields += fmt.Sprintf(`"way":%s,"c":2,"again":1,`, h.text(place+".way"))
	}
	if form == "b" {
		// As peers send it.
		fields = fmt.Sprintf(`"d":%q,`, stream)
	}
	if h.http {
		fields += fmt.Sprintf(`"trip":%d,`, 1+h.n%5)
	}
	switch form {
	case "s":
		body = quoted(body)
	case "x":
		body = quoted(base64.StdEncoding.EncodeToString([]byte(body)))
	}
	h.line("f", fields+quoted(form)+":"+body)
	if form != "b" {
		// Records of others may have the body first, and members that nobody knows.
		h.line("f", quoted(form)+":"+body+","+strings.ReplaceAll(fields, `"by"`, quoted(h.value(place+" key"))+`:1,"by"`)+`"comment":`+h.text(place+".comment"))
	}
}

// messages writes for each method a request, its result and an error, with a text in
// each member.
func (h *hostile) messages() {
	h.frame("c2s", "b", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":`+h.text("clientInfo.name")+`,"version":`+h.text("clientInfo.version")+`}}}`)
	h.frame("s2c", "b", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"instructions":`+h.text("instructions")+`,"serverInfo":{"name":`+h.text("serverInfo.name")+`,"version":`+h.text("serverInfo.version")+`}}}`)
	h.frame("c2s", "b", `{"jsonrpc":"2.0","id":"v","method":"initialize","params":{"protocolVersion":`+h.text("params.protocolVersion")+`,"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`)
	h.frame("s2c", "b", `{"jsonrpc":"2.0","id":"v","result":{"protocolVersion":`+h.text("result.protocolVersion")+`,"capabilities":{},"serverInfo":{"name":"a","version":"1"}}}`)
	h.frame("s2c", "b", `{"jsonrpc":"2.0","id":`+h.text("id")+`,"method":`+h.text("method")+`,"params":{`+h.text("key")+`:1}}`)
	h.frame("c2s", "b", `{"jsonrpc":"2.0","id":"t","method":"tools/list"}`)
	h.frame("s2c", "b", `{"jsonrpc":"2.0","id":"t","result":{"tools":[{"name":`+h.text("tool.name")+`,"title":`+h.text("tool.title")+`,"description":`+h.text("tool.description")+`,"inputSchema":{"type":"object","properties":{`+h.text("property")+`:{"type":`+h.text("schema.type")+`,"enum":[`+h.text("enum")+`]}}}}]}}`)
	for i, m := range mcp.Methods() {
		body := func(kind string) string {
			var list []string
			for j, name := range slices.Sorted(maps.Keys(memberNames)) {
				if !h.full && (i+j)%4 != 0 {
					continue
				}
				list = append(list, quoted(name)+":"+h.text(m.Name+"."+kind+"."+name))
			}
			return "{" + strings.Join(list, ",") + "}"
		}
		id := ""
		if !m.Notification {
			id = fmt.Sprintf(`"id":%d,`, i+1)
		}
		h.frame("c2s", "b", `{"jsonrpc":"2.0",`+id+`"method":`+quoted(m.Name)+`,"params":`+body("params")+`}`)
		h.frame("s2c", "b", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{%s:[%s]}}`, i+1, quoted([]string{"content", "messages", "contents", "tools", "prompts", "resources", "tasks", "roots"}[i%8]), body("result")))
		h.frame("c2s", "b", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":%s,"data":%s}}`, i+1, h.text(m.Name+".error"), h.text(m.Name+".data")))
	}
	h.line("f", `"d":"err","s":"x","after":`+h.text("after the body"))
	for _, stream := range streams {
		h.frame(stream, "s", h.value(stream+" line"))
		h.frame(stream, "x", h.value(stream+" bytes")+"\xff")
		h.line("raw", fmt.Sprintf(`"d":%q,"s":%s`, stream, quoted(h.value(stream+" raw")+"\n")))
	}
	// What ends programs is quoted from stderr.
	for _, line := range []string{"Error: Cannot find module '%s'", "ModuleNotFoundError: No module named '%s'", "sh: 1: %s: not found", "npm error 404 '%s' is not in this registry", "error: EADDRINUSE %s", "%s: command not found", "Usage: %s"} {
		h.frame("err", "s", fmt.Sprintf(line, h.value("stderr: "+line)))
	}
}

var memberNames = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range members {
		names[name] = true
	}
	return names
}()
