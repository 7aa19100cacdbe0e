package check

import (
	"net/url"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/json/schema"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// elicitation judges the params of an elicitation.
func (c *questionsConn) elicitation(ev *session.Event, q question, r session.Reporter) {
	v := version(ev)
	mode := member(q.params, "mode")
	isURL := isText(mode, "url") && (v == mcp.NoVersion || v >= mcp.V4)
	if caps, ok := c.client.object("elicitation"); ok && !q.modern && elicitationModeUndeclared.in(v) {
		switch {
		case isURL && !caps.has("url"):
			r.Report(elicitationModeUndeclared.at(ev, "%s is by URL, and the client did not declare elicitation.url", q.name))
		case (mode == nil || isText(mode, "form")) && caps.has("url") && !caps.has("form"):
			r.Report(elicitationModeUndeclared.at(ev, "%s is a form, and the client declared elicitation.url alone", q.name))
		}
	}
	if isURL {
		c.byURL(ev, q, r)
		return
	}
	schema := member(q.params, "requestedSchema")
	if schema == nil || !elicitationSchemaComplex.in(v) {
		return
	}
	if fault := formFault(schema, v); fault != "" {
		r.Report(elicitationSchemaComplex.at(ev, "%s: %s", q.name, fault))
	}
	if name := secretOf(schema); name != "" {
		r.Report(elicitationSecret.at(ev, "%s asks for %s", q.name, excerpt([]byte(name))))
	}
}

// formFault says why a schema is no form, empty where it is one.
func formFault(schema []byte, v mcp.Version) string {
	if t := jsonrpc.TypeOf(schema); t != jsonrpc.Object {
		return "requestedSchema is " + typeName(t) + ", must be an object"
	}
	if kind := member(schema, "type"); !isText(kind, "object") {
		return `the type of requestedSchema is not "object"`
	}
	for w := newWalk(member(schema, "properties")); ; {
		key, property, ok := w.next()
		if !ok || !w.object {
			return ""
		}
		if fault := fieldFault(property, v); fault != "" {
			return "the field " + excerpt([]byte(unquote(key))) + " is " + fault
		}
	}
}

// fieldFault says what a field is that no form has. Only what is certain is told:
// SDKs write fields that may be left out as a union with null.
func fieldFault(property []byte, v mcp.Version) string {
	kind := member(property, "type")
	switch {
	case jsonrpc.TypeOf(property) != jsonrpc.Object:
		return typeName(jsonrpc.TypeOf(property))
	case member(property, "$ref") != nil:
		return "a reference"
	case isText(kind, "object"):
		return "an object"
	case isText(kind, "array") && v < mcp.V4 && v != mcp.NoVersion:
		return "a list"
	case isText(kind, "array"):
		items := member(property, "items")
		if member(items, "enum") == nil && member(items, "anyOf") == nil && member(items, "oneOf") == nil {
			return "a list of values that are not choices"
		}
	}
	return ""
}

// secretWords are the last words of names that mean a secret; secretKeys what
// stands before key.
var (
	secretWords = []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "cvv", "cvc", "credentials"}
	secretKeys  = []string{"api", "private", "access", "secret", "signing", "encryption"}
	plainTokens = []string{"page", "next", "continuation", "cursor", "sync", "progress"}
)

// secretOf returns the name of a field that asks for a secret, empty for none.
func secretOf(schema []byte) string {
	for w := newWalk(member(schema, "properties")); ; {
		key, property, ok := w.next()
		if !ok || !w.object {
			return ""
		}
		if kind := member(property, "type"); kind != nil && !isText(kind, "string") {
			continue
		}
		if name := unquote(key); isSecret(wordsOf(name)) {
			return name
		}
	}
}

func isSecret(words []string) bool {
	if len(words) == 0 {
		return false
	}
	last, before := words[len(words)-1], ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch {
	case last == "key":
		return slices.Contains(secretKeys, before)
	case last == "token":
		return !slices.Contains(plainTokens, before)
	}
	return slices.Contains(secretWords, last)
}

// wordsOf returns the words of a name in lower case: apiKey, api_key and api-key
// have the same two.
func wordsOf(name string) []string {
	var s strings.Builder
	lower := false
	for _, c := range name[:min(len(name), maxNameKept)] {
		switch {
		case c >= 'A' && c <= 'Z':
			if lower {
				s.WriteByte(' ')
			}
			lower = false
		case c == '_' || c == '-' || c == '.' || c == '/':
			c, lower = ' ', false
		default:
			lower = true
		}
		s.WriteRune(c)
	}
	return strings.Fields(strings.ToLower(s.String()))
}

// byURL judges an elicitation that leads to an address, and keeps its id.
func (c *questionsConn) byURL(ev *session.Event, q question, r session.Reporter) {
	id := member(q.params, "elicitationId")
	c.issue(id)
	if !q.modern && jsonrpc.TypeOf(id) != jsonrpc.String && version(ev) == mcp.V4 {
		f := elicitationURL.at(ev, "the elicitationId of %s is %s, must be a string", q.name, typeName(jsonrpc.TypeOf(id)))
		f.Severity, f.Key = session.Error, "id"
		r.Report(f)
	}
	address := member(q.params, "url")
	if jsonrpc.TypeOf(address) != jsonrpc.String || !elicitationURL.in(version(ev)) {
		return // missing-required-param says so.
	}
	if fault := addressFault(unquote(address)); fault != "" {
		r.Report(elicitationURL.at(ev, "the address of %s %s", q.name, fault))
	}
}

// addressFault says why an address should not be opened, empty where it may. It
// does not quote what may be a secret.
func addressFault(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Scheme == "", u.Host == "" && u.Opaque == "":
		return "is not a URL"
	case u.User != nil:
		return "has a user name in it"
	case strings.EqualFold(u.Scheme, "https"), ownMachine(u.Hostname()):
		return ""
	}
	return "is not https but " + short([]byte(u.Scheme))
}

// ownMachine reports whether a host is the user's own.
func ownMachine(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "::1"
}

// issue keeps the id of an elicitation.
func (c *questionsConn) issue(id []byte) {
	h, ok := hashID(id)
	switch {
	case !ok, len(c.issued) >= maxElicitations:
		c.overflow = true
	case c.issued == nil:
		c.issued = map[uint64]bool{h: true}
	default:
		c.issued[h] = true
	}
}

// urlRequired judges an error that sends the user to an address.
func (c *questionsConn) urlRequired(ev *session.Event, r session.Reporter) {
	if !unambiguous(ev.Message) || ev.Exchange == nil {
		return
	}
	text := spanText(ev, ev.Message.Error)
	if text == nil {
		c.overflow = true
		return
	}
	list := member(member(text, "data"), "elicitations")
	fault := ""
	w := newWalk(list)
	for i := 0; ; i++ {
		_, entry, ok := w.next()
		if jsonrpc.TypeOf(list) != jsonrpc.Array || !ok && i == 0 {
			fault = "has no list data.elicitations, or an empty one"
		}
		if !ok || fault != "" {
			break
		}
		c.issue(member(entry, "elicitationId"))
		if !isText(member(entry, "mode"), "url") {
			fault = "has an elicitation whose mode is not url"
		}
		for _, name := range []string{"elicitationId", "url", "message"} {
			if t := jsonrpc.TypeOf(member(entry, name)); t != jsonrpc.String && fault == "" {
				fault = "has an elicitation whose " + name + " is " + typeName(t)
			}
		}
	}
	if fault != "" {
		r.Report(urlRequiredErrorShape.at(ev, "the error to %s %s", nameOf(ev.Exchange), fault))
	}
}

// complete judges what an elicitation by URL ends with.
func (c *questionsConn) complete(ev *session.Event, r session.Reporter) {
	id := member(spanText(ev, ev.Message.Params), "elicitationId")
	h, ok := hashID(id)
	if jsonrpc.TypeOf(id) != jsonrpc.String || !ok || c.issued[h] || c.overflow || !c.sees(ev, session.S2C) || !elicitationCompleteUnknown.in(version(ev)) {
		return
	}
	r.Report(elicitationCompleteUnknown.at(ev, "the elicitation %s is complete, which was never asked", short(id)))
}

// elicited judges the answer to an elicitation.
func (c *questionsChecker) elicited(ev *session.Event, f form, answer []byte, r session.Reporter) {
	c.budget = min(maxBudget, c.budget+1)
	say := func(severity session.Severity, text string) {
		found := elicitationResult.at(ev, "the answer to %s %s", f.name, text)
		found.Severity, found.Key = severity, severity.String()
		r.Report(found)
	}
	action, content := member(answer, "action"), member(answer, "content")
	given := content != nil && jsonrpc.TypeOf(content) != jsonrpc.Null
	switch {
	case jsonrpc.TypeOf(action) != jsonrpc.String:
		say(session.Error, "has an action that is "+typeName(jsonrpc.TypeOf(action)))
	case isText(action, "decline"), isText(action, "cancel"):
		if given && string(content) != "{}" {
			say(session.Info, "has content beside the action "+unquote(action))
		}
	case !isText(action, "accept"):
		say(session.Error, "has the action "+short(action))
	case f.url:
		if given && string(content) != "{}" {
			say(session.Info, "has content, and what was asked leads to an address")
		}
	case f.schema == nil:
	default:
		if !given {
			content = []byte("{}")
		}
		if wrong := c.misfit(f.schema, content); wrong != nil {
			say(session.Warning, "does not fit its form: "+pathText("content", wrong.Path)+" "+printable(wrong.Text))
		}
	}
}

// misfit returns what is wrong with the content of a form; nil also where that is
// not known.
func (c *questionsChecker) misfit(form, content []byte) *schema.Problem {
	if c.budget < perCall || schema.Fault(form) != nil || schema.RemoteRef(form) != "" {
		return nil
	}
	c.budget -= int64(len(form)) / 64
	compiled, err := schema.Compile(form)
	if err != nil {
		return nil
	}
	wrong, steps, err := compiled.Validate(content, max(1, min(maxOneCall, c.budget)))
	if c.budget -= steps + perCall; err != nil {
		return nil
	}
	return wrong
}
