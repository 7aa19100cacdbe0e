package demo

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// modernPost takes a message of the modern era: [V5]
// basic/transports/streamable-http §Sending Messages.
func (h *HTTP) modernPost(w http.ResponseWriter, r *http.Request, m *message) {
	switch {
	case m.Method == "":
		refuse(w, http.StatusBadRequest, m.ID, mcp.InvalidRequest, "Invalid request: a POST carries no response; use inputResponses")
		return
	case m.ID == nil:
		// There are none that mean something: cancellation is the end of the stream.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if code, what, data := headersFault(r, m); code != 0 {
		writeJSON(w, http.StatusBadRequest, errorMessage(m.ID, code, what, data))
		return
	}
	s := h.modern
	st, ok := s.do([]*message{m})
	if !ok {
		http.Error(w, "The server is closed", http.StatusServiceUnavailable)
		return
	}
	if body, ok := st.only(); ok {
		writeJSON(w, max(m.status, http.StatusOK), body)
		return
	}
	st.carry(r.Context(), w, 0)
	if !st.ended() {
		// [V5] basic/patterns/cancellation: the end of the stream cancels.
		s.turn.Lock()
		defer s.turn.Unlock()
		s.cancel(func(open *request) bool { return open == &m.request })
		st.end()
	}
}

// headersFault returns the error for header fields that do not mirror the body,
// with a code of 0 for none: [V5] basic/transports/streamable-http §Server
// Validation. What is wrong in the body alone is not its business.
func headersFault(r *http.Request, m *message) (code int64, what, data string) {
	version, what := single(r, mcp.VersionHeader)
	switch {
	case what != "":
		return mcp.HeaderMismatch, what, ""
	case m.meta.Version != nil && version != *m.meta.Version:
		return mcp.HeaderMismatch, mcp.VersionHeader + " differs from _meta", ""
	}
	if v, ok := mcp.ParseVersion(version); !ok || v.Era() != mcp.Modern {
		data := fmt.Sprintf(`{"supported":[%s],"requested":%s}`, lex.Quote(mcp.LatestModern.String()), lex.Quote(version))
		return mcp.UnsupportedVersion, "Unsupported protocol version", data
	}
	method, what := single(r, mcp.MethodHeader)
	switch {
	case what != "":
		return mcp.HeaderMismatch, what, ""
	case method != m.Method:
		return mcp.HeaderMismatch, mcp.MethodHeader + " differs from the method", ""
	}
	if what := nameFault(r, m); what != "" {
		return mcp.HeaderMismatch, what, ""
	}
	return 0, "", ""
}

// single returns the value of a field that must be there once, or what is wrong.
func single(r *http.Request, name string) (value, what string) {
	switch all := r.Header.Values(name); len(all) {
	case 0:
		return "", name + " is missing"
	case 1:
		return all[0], ""
	}
	return "", name + " is there more than once"
}

// nameFault says what is wrong with Mcp-Name and Mcp-Param-*; empty = nothing.
func nameFault(r *http.Request, m *message) string {
	var p struct {
		Name, URI, TaskID *string
		Arguments         map[string]json.RawMessage
	}
	if m.param(&p) != nil {
		return "" // the method refuses it
	}
	var want *string
	switch m.Method {
	case mcp.ToolsCall, mcp.PromptsGet:
		want = p.Name
	case mcp.ResourcesRead:
		want = p.URI
	case mcp.TasksGet, mcp.TasksUpdate, mcp.TasksCancel:
		want = p.TaskID
	}
	if what := mirrorFault(r, mcp.NameHeader, want); want != nil && what != "" {
		return what
	}
	if m.Method != mcp.ToolsCall || want == nil {
		return ""
	}
	for _, t := range toolTable() {
		if t.name != *want || t.mirrored == "" {
			continue
		}
		if what := mirrorFault(r, mcp.ParamHeader+t.mirrorHeader(), argumentText(p.Arguments[t.mirrored])); what != "" {
			return what
		}
	}
	return ""
}

// argumentText is an argument as its header field has it; nil if there is none.
func argumentText(value json.RawMessage) *string {
	text := string(value)
	if text == "" || text == "null" {
		return nil
	}
	// What is not a string is mirrored as its JSON.
	_ = json.Unmarshal(value, &text)
	return &text
}

// mirrorFault says what is wrong with a field that mirrors a value of the body,
// nil for none.
func mirrorFault(r *http.Request, name string, want *string) string {
	if want == nil {
		if len(r.Header.Values(name)) > 0 {
			return name + " is there without its value in the body"
		}
		return ""
	}
	value, what := single(r, name)
	if what != "" {
		return what
	}
	if value, what = unquoteHeader(value); what != "" || value != *want {
		return name + " differs from the body" + what
	}
	return ""
}

// unquoteHeader decodes a value that a header field cannot have as it is, or says
// what is wrong with it: [V5] basic/transports/streamable-http §Value Encoding.
func unquoteHeader(value string) (text, what string) {
	const begin, end = "=?base64?", "?="
	if len(value) < len(begin)+len(end) || !strings.HasPrefix(value, begin) || !strings.HasSuffix(value, end) {
		return value, ""
	}
	b, err := base64.StdEncoding.DecodeString(value[len(begin) : len(value)-len(end)])
	if err != nil {
		return "", ": its base64 is invalid"
	}
	return string(b), ""
}

// mirrorHeader is what follows Mcp-Param- in the field of the mirrored argument.
func (t *tool) mirrorHeader() string { return strings.ToUpper(t.mirrored[:1]) + t.mirrored[1:] }

// inputSchema is the tool's schema. Over HTTP it says which argument is mirrored.
func (t *tool) inputSchema(r *request) string {
	if t.mirrored == "" || r.via == nil || !r.modern() {
		return t.input
	}
	property := lex.Quote(t.mirrored) + ":{"
	return strings.Replace(t.input, property, property+`"x-mcp-header":`+lex.Quote(t.mirrorHeader())+`,`, 1)
}
