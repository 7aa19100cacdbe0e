package wire

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/text"
)

// Bounds of what is searched for keys of _meta, for each side. A side that writes
// a wrong key writes it often.
const (
	maxMetas     = 4096     // messages with _meta
	maxMetaBytes = 16 << 20 // bytes of all messages
)

// namesConn judges the names that messages carry, and whether the parameters that
// belong to them are present.
//
//	a server's request in the modern era     server-initiated-request; not its name
//	a client's progress in the modern era    client-progress
//	initialized under another name           wrong-initialized-method
type namesConn struct {
	rule.KeySet
	metas  [2]int // metas counts the searched messages of each side,
	looked [2]int // and looked their bytes.
	own    bool   // own: a side declared experimental capabilities or extensions.
	client uint64 // client is the hash of the capabilities that were judged last.
}

// Check implements session.Checker.
func (c *namesConn) Check(ev *session.Event, r session.Reporter) {
	if ev.Kind == session.MessageSeen && ev.Frame.Stream != session.Stderr {
		c.message(ev, r)
	}
}

func (c *namesConn) message(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	switch m.Kind {
	case jsonrpc.Request, jsonrpc.Notification:
		c.declared(ev, m.Field(jsonrpc.ParamCapabilities))
		c.extensions(ev, r)
		if rule.ByUser(ev) {
			return
		}
		if ev.Method == nil {
			c.unknown(ev, r)
		} else {
			c.known(ev, r)
		}
		c.meta(ev, m.Params, r)
	case jsonrpc.Result:
		if x != nil && (x.Method == mcp.Initialize || x.Method == mcp.ServerDiscover) {
			c.declared(ev, m.Field(jsonrpc.ResultCapabilities))
			c.judgeExtensions(ev, rule.FieldText(ev, m.Field(jsonrpc.ResultCapabilities)), r)
		}
		if !rule.ByUser(ev) {
			c.meta(ev, m.Result, r)
		}
	case jsonrpc.Error:
		if x != nil && rule.IsAnswer(ev) && !rule.ByUser(ev) {
			c.refused(ev, r)
		}
	case jsonrpc.Invalid:
	}
}

// declared records the capabilities of either side.
func (c *namesConn) declared(ev *session.Event, caps *jsonrpc.Value) {
	if c.own || !caps.Present() {
		return
	}
	text := rule.FieldText(ev, caps)
	c.own = text == nil || lex.Get(text, "experimental") != nil || lex.Get(text, "extensions") != nil
}

// extensions judges the capabilities of a modern request if they have changed.
func (c *namesConn) extensions(ev *session.Event, r session.Reporter) {
	caps := ev.Message.Field(jsonrpc.MetaCapabilities)
	if caps.Type != jsonrpc.Object || caps.Hash == c.client {
		return
	}
	c.client = caps.Hash
	c.declared(ev, caps)
	if rule.ByClient(ev) {
		c.judgeExtensions(ev, rule.FieldText(ev, caps), r)
	}
}

// judgeExtensions judges the names of extensions.
func (c *namesConn) judgeExtensions(ev *session.Event, caps []byte, r session.Reporter) {
	if !extensionIDFormat.In(rule.Version(ev)) {
		return
	}
	extensions, _ := rule.ParseObject(lex.Get(caps, "extensions"))
	for _, id := range slices.Sorted(maps.Keys(extensions)) {
		if prefix, name, ok := strings.Cut(id, "/"); !ok || name == "" || labelsFault(prefix) {
			r.Report(extensionIDFormat.At(ev, "%s declared the extension %s", rule.Writer(ev), rule.Excerpt([]byte(id))).Keyed(c.Key(id)))
		}
	}
}

// unknown judges an unknown method.
func (c *namesConn) unknown(ev *session.Event, r session.Reporter) {
	m := ev.Message
	name, ok := m.Method.Unquoted()
	_, defined := mcp.Lookup(name) // The analysis keeps a limited number of names.
	switch {
	case !ok, defined, c.own, !rule.IsMessage(m):
		return
	case slices.Contains(rule.InitializedMisnomers, name):
		return
	case ev.Frame.Stream == session.S2C && m.Kind == jsonrpc.Request && rule.IsModern(ev):
		return
	}
	f := unknownMethod.At(ev, "%s sent %s, which no revision defines", rule.Writer(ev), rule.MethodName(m))
	if f.Key = c.Key(name); len(name) > rule.MaxNameKept {
		f.Key = "…"
	}
	if m.Kind == jsonrpc.Notification {
		f.Severity = session.Info
	}
	var known []string
	for i := range mcp.Methods() {
		known = append(known, mcp.Methods()[i].Name)
	}
	if like := text.Near(name, known); like != "" {
		f.Hint = "did you mean " + like + "?"
	}
	r.Report(f)
}

// known judges a known method.
func (c *namesConn) known(ev *session.Event, r session.Reporter) {
	m, method := ev.Message, ev.Method
	if method.Notification != (m.Kind == jsonrpc.Notification) {
		return // notification-with-id, request-without-id
	}
	fromServer := ev.Frame.Stream == session.S2C
	if dir := method.DirIn(rule.Version(ev)); dir == mcp.ClientToServer && fromServer || dir == mcp.ServerToClient && !fromServer {
		if rule.IsModern(ev) && (fromServer && m.Kind == jsonrpc.Request || method.Name == mcp.ProgressNotification) {
			return
		}
		r.Report(methodWrongDirection.At(ev, "%s sent %s, which only the %s may send", rule.Writer(ev), rule.MethodName(m), ev.Frame.Stream.Reverse().Sender()).Keyed(method.Name))
		return
	}
	if t := m.Params.Type; t != jsonrpc.Object && t != jsonrpc.Absent {
		return
	}
	if fault := paramFault(ev); fault != "" {
		path, _, _ := strings.Cut(fault, " ")
		r.Report(missingRequiredParam.AtMember(ev, []string{path[strings.LastIndexByte(path, '.'):]}, "%s: %s", describeShort(ev), fault).Keyed(method.Name))
	}
}

// describeShort names a request or a notification.
func describeShort(ev *session.Event) string {
	if ev.Exchange != nil && ev.Message.Kind == jsonrpc.Request {
		return rule.NameOf(ev.Exchange)
	}
	return rule.MethodName(ev.Message)
}

// notThere are the words by which an error says that a method does not exist.
var notThere = []string{"not found", "unknown", "unsupported", "not supported", "unrecognized", "no such", "not implemented", "unhandled"}

// refused judges the error for a method. Errors about a target contain such
// words too.
func (c *namesConn) refused(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	code, ok := m.Field(jsonrpc.ErrorCode).Int()
	switch {
	case !ok, code == mcp.MethodNotFound, code == 0, x.Target != "":
		return
	case x.Method == mcp.Initialize, x.Method == mcp.ServerDiscover, !ev.Conn.Initialized && !rule.IsModern(ev):
		return
	}
	said := strings.ToLower(string(m.Field(jsonrpc.ErrorMessage).Raw))
	says := strings.Contains(said, "method") && slices.ContainsFunc(notThere, func(w string) bool { return strings.Contains(said, w) })
	if !says && !(ev.Method == nil && code == mcp.InvalidParams) {
		return
	}
	f := wrongUnknownMethodError.At(ev, "%s is answered with the code %d: %s", rule.NameOf(x), code, rule.RawText(m.Field(jsonrpc.ErrorMessage)))
	if f.Key = "said"; !says {
		f.Severity, f.Key = session.Info, "params"
	}
	r.Report(f)
}

// meta judges the keys of _meta in a message's params or result.
func (c *namesConn) meta(ev *session.Event, in jsonrpc.Span, r session.Reporter) {
	from := ev.Frame.Stream
	if in.Type != jsonrpc.Object || c.metas[from] >= maxMetas || c.looked[from] >= maxMetaBytes || !metaKeyFormat.In(rule.Version(ev)) {
		return
	}
	text := rule.SpanText(ev, in)
	c.looked[from] += len(text)
	if !bytes.Contains(text, []byte(`"_meta"`)) {
		return
	}
	c.metas[from]++
	for key := range lex.Members(lex.Get(text, "_meta")) {
		c.metaKey(ev, key, r)
	}
}

// metaKey judges one key.
func (c *namesConn) metaKey(ev *session.Event, raw []byte, r session.Reporter) {
	if len(raw) > 2 && knownMeta.Get()[string(raw[1:len(raw)-1])] {
		return
	}
	key := lex.Unquote(raw)
	name, quoted := c.Key(key[:min(len(key), rule.MaxNameKept)]), rule.Excerpt([]byte(key))
	if metaFault(key) {
		r.Report(metaKeyFormat.At(ev, "%s has the key %s in _meta", rule.Describe(ev), quoted).Keyed(name))
		return
	}
	prefix, _, ok := strings.Cut(key, "/")
	if !ok || !reserved(prefix, rule.Version(ev)) {
		return
	}
	f := reservedMetaPrefix.At(ev, "%s has the key %s in _meta, which the protocol does not define", rule.Describe(ev), quoted).Keyed(name)
	if strings.HasPrefix(prefix, "io.modelcontextprotocol") {
		f.Severity = session.Info
	}
	r.Report(f)
}

// knownMeta are the keys that the protocol defines.
var knownMeta = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{
		"progressToken": true, "traceparent": true, "tracestate": true, "baggage": true,
		mcp.MetaRelatedTask: true, "io.modelcontextprotocol/model-immediate-response": true,
		mcp.MetaProtocolVersion: true, mcp.MetaClientCapabilities: true,
		mcp.MetaClientInfo: true, mcp.MetaLogLevel: true,
		mcp.MetaServerInfo: true, mcp.MetaSubscriptionID: true,
	}
}}

// metaFault reports whether a key is malformed.
func metaFault(key string) bool {
	prefix, name, ok := strings.Cut(key, "/")
	if !ok {
		return key == "" || nameWrong(key)
	}
	return labelsFault(prefix) || name != "" && nameWrong(name)
}

func nameWrong(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && !isDigit(c) && (c != '-' && c != '_' && c != '.' || i == 0 || i == len(name)-1) {
			return true
		}
	}
	return false
}

// labelsFault reports whether a prefix is not a list of labels separated by
// dots.
func labelsFault(prefix string) bool {
	for label := range strings.SplitSeq(prefix, ".") {
		if label == "" || !isLetter(label[0]) || label[len(label)-1] == '-' {
			return true
		}
		for i := range len(label) {
			if c := label[i]; !isLetter(c) && !isDigit(c) && c != '-' {
				return true
			}
		}
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// reserved reports whether a prefix is reserved for the protocol.
func reserved(prefix string, v mcp.Version) bool {
	labels := strings.Split(prefix, ".")
	at := 1
	if v < mcp.V4 {
		at = len(labels) - 2
	}
	return at >= 0 && at < len(labels) && (labels[at] == "modelcontextprotocol" || labels[at] == "mcp")
}

var Names = rule.Family{
	Name:  "names",
	Title: "Methods, parameters and metadata",
	Rules: []*rule.Rule{
		unknownMethod, methodWrongDirection, missingRequiredParam, wrongUnknownMethodError,
		reservedMetaPrefix, metaKeyFormat, extensionIDFormat,
	},
	New: func() session.Checker { return &namesConn{} },
}

var unknownMethod = &rule.Rule{ID: "unknown-method", Severity: session.Warning, NeedsAll: true}
var methodWrongDirection = &rule.Rule{ID: "method-wrong-direction", Severity: session.Error}
var missingRequiredParam = &rule.Rule{ID: "missing-required-param", Alone: true, Severity: session.Error}
var wrongUnknownMethodError = &rule.Rule{ID: "wrong-unknown-method-error", Severity: session.Warning}
var reservedMetaPrefix = &rule.Rule{ID: "reserved-meta-prefix", Alone: true, Severity: session.Warning, Since: mcp.V3}
var metaKeyFormat = &rule.Rule{ID: "meta-key-format", Alone: true, Severity: session.Warning, Since: mcp.V3}
var extensionIDFormat = &rule.Rule{ID: "extension-id-format", Alone: true, Severity: session.Warning, Since: mcp.V5}
