package offers

import (
	"net/url"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// elicitation judges the params of an elicitation.
func (c *questionsConn) elicitation(ev *session.Event, q question, r session.Reporter) {
	v := rule.Version(ev)
	mode := lex.Get(q.params, "mode")
	isURL := lex.IsText(mode, "url") && (v == mcp.NoVersion || v >= mcp.V4)
	if caps, ok := c.client.Object("elicitation"); ok && !q.modern && elicitationModeUndeclared.In(v) {
		switch {
		case isURL && !caps.Has("url"):
			r.Report(elicitationModeUndeclared.At(ev, "%s is by URL, but the client did not declare elicitation.url", q.name))
		case (mode == nil || lex.IsText(mode, "form")) && caps.Has("url") && !caps.Has("form"):
			r.Report(elicitationModeUndeclared.At(ev, "%s is a form, but the client declared only elicitation.url", q.name))
		}
	}
	if isURL {
		c.byURL(ev, q, r)
		return
	}
	schema := lex.Get(q.params, "requestedSchema")
	if schema == nil || !elicitationSchemaComplex.In(v) {
		return
	}
	if fault := formFault(schema, v); fault != "" {
		r.Report(elicitationSchemaComplex.AtPart(ev, "RequestedSchema", schema, []string{""}, "%s: %s", q.name, fault))
	}
	if name := secretOf(schema); name != "" {
		r.Report(elicitationSecret.At(ev, "%s asks for %s", q.name, rule.Excerpt([]byte(name))))
	}
}

// formFault says why a schema is not a valid form, empty if it is.
func formFault(schema []byte, v mcp.Version) string {
	if jsonrpc.TypeOf(schema) != jsonrpc.Object {
		return "" // missing-required-param reports it.
	}
	if kind := lex.Get(schema, "type"); !lex.IsText(kind, "object") {
		return `the type of requestedSchema is not "object"`
	}
	for key, property := range lex.Members(lex.Get(schema, "properties")) {
		if fault := fieldFault(property, v); fault != "" {
			return "the field " + rule.Excerpt([]byte(lex.Unquote(key))) + " is " + fault
		}
	}
	return ""
}

// fieldFault says why a field is not allowed in a form, empty if it may be.
// Optional fields that SDKs write as a union with null are accepted.
func fieldFault(property []byte, v mcp.Version) string {
	kind := lex.Get(property, "type")
	switch {
	case jsonrpc.TypeOf(property) != jsonrpc.Object:
		return rule.TypeName(jsonrpc.TypeOf(property))
	case lex.Get(property, "$ref") != nil:
		return "a reference"
	case lex.IsText(kind, "object"):
		return "an object"
	case lex.IsText(kind, "array") && v < mcp.V4 && v != mcp.NoVersion:
		return "an array"
	case lex.IsText(kind, "array"):
		items := lex.Get(property, "items")
		if lex.Get(items, "enum") == nil && lex.Get(items, "anyOf") == nil && lex.Get(items, "oneOf") == nil {
			return "an array of values that are not enums"
		}
	case kind != nil && !slices.Contains([]string{"string", "number", "integer", "boolean"}, lex.Unquote(kind)) && (jsonrpc.TypeOf(kind) != jsonrpc.Array || string(kind) == "[]"):
		return "of the type " + rule.Short(kind)
	case kind == nil && !slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf", "enum", "const"}, func(word string) bool { return lex.Get(property, word) != nil }):
		return "without a type"
	}
	return ""
}

// secretWords are last words of names of secrets, secretKeys words before
// "key", and plainTokens words before "token" that make it no secret.
var (
	secretWords = []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "cvv", "cvc", "credentials"}
	secretKeys  = []string{"api", "private", "access", "secret", "signing", "encryption"}
	plainTokens = []string{"page", "next", "continuation", "cursor", "sync", "progress"}
)

// secretOf returns the name of a field for a secret, empty for none.
func secretOf(schema []byte) string {
	for key, property := range lex.Members(lex.Get(schema, "properties")) {
		if kind := lex.Get(property, "type"); kind != nil && !lex.IsText(kind, "string") {
			continue
		}
		if name := lex.Unquote(key); isSecret(wordsOf(name)) {
			return name
		}
	}
	return ""
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

// wordsOf returns the words of a name in lower case: apiKey, api_key and
// api-key have the same two.
func wordsOf(name string) []string {
	var s strings.Builder
	lower := false
	for _, c := range name[:min(len(name), rule.MaxNameKept)] {
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

// byURL judges an elicitation by URL, and stores its id.
func (c *questionsConn) byURL(ev *session.Event, q question, r session.Reporter) {
	id := lex.Get(q.params, "elicitationId")
	c.issue(id)
	if !q.modern && jsonrpc.TypeOf(id) != jsonrpc.String && rule.Version(ev) == mcp.V4 {
		r.Report(elicitationURL.AtPart(ev, "ElicitRequestURLParams", q.params, []string{"ElicitRequestURLParams.elicitationId"}, "the elicitationId of %s%s", q.name, rule.Mismatch(id, jsonrpc.String)).Graded(session.Error).Keyed("id"))
	}
	address := lex.Get(q.params, "url")
	if jsonrpc.TypeOf(address) != jsonrpc.String || !elicitationURL.In(rule.Version(ev)) {
		return // missing-required-param reports it.
	}
	if fault := urlFault(lex.Unquote(address)); fault != "" {
		r.Report(elicitationURL.At(ev, "the URL of %s %s", q.name, fault))
	}
}

// urlFault says why a URL should not be opened, empty if it may. It does not
// quote what may be a secret.
func urlFault(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Scheme == "", u.Host == "" && u.Opaque == "":
		return "is not a URL"
	case u.User != nil:
		return "has a user name in it"
	case strings.EqualFold(u.Scheme, "https"), ownMachine(u.Hostname()):
		return ""
	}
	return "is not https but " + rule.Short([]byte(u.Scheme))
}

// ownMachine reports whether a host is the local machine.
func ownMachine(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "::1"
}

// issue stores the id of an elicitation.
func (c *questionsConn) issue(id []byte) {
	h, ok := rule.HashID(id)
	c.issued.Add(h, ok, maxElicitations)
}

// urlRequired judges an error -32042, which directs the user to a URL.
func (c *questionsConn) urlRequired(ev *session.Event, r session.Reporter) {
	if !rule.Unambiguous(ev.Message) || ev.Exchange == nil {
		return
	}
	text := rule.SpanText(ev, ev.Message.Error)
	if text == nil {
		c.issued.Lost = true
		return
	}
	data, fault := lex.Get(text, "data"), ""
	n := 0
	for _, entry := range lex.Items(lex.Get(data, "elicitations")) {
		n++
		c.issue(lex.Get(entry, "elicitationId"))
		if !lex.IsText(lex.Get(entry, "mode"), "url") {
			fault = "has an elicitation whose mode is not url"
		}
	}
	if lack := rule.Lack(data, elicitationNeeds); lack != "" {
		fault = "has data in which " + lack
	} else if n == 0 {
		fault = "has an empty list data.elicitations"
	}
	if fault != "" {
		r.Report(urlRequiredErrorShape.At(ev, "the error for %s %s", rule.NameOf(ev.Exchange), fault))
	}
}

// elicitationNeeds is what the data of URLElicitationRequired must have.
var elicitationNeeds = []rule.Need{{Path: "elicitations[].elicitationId", Type: jsonrpc.String}, {Path: "elicitations[].url", Type: jsonrpc.String}, {Path: "elicitations[].message", Type: jsonrpc.String}}

// complete judges the completion of an elicitation by URL.
func (c *questionsConn) complete(ev *session.Event, r session.Reporter) {
	id := lex.Get(rule.SpanText(ev, ev.Message.Params), "elicitationId")
	h, ok := rule.HashID(id)
	if jsonrpc.TypeOf(id) != jsonrpc.String || !ok || c.issued.Has(h) || c.issued.Lost || !c.Sees(ev, session.S2C) || !elicitationCompleteUnknown.In(rule.Version(ev)) {
		return
	}
	r.Report(elicitationCompleteUnknown.At(ev, "the elicitation %s is reported complete, but was never requested", rule.Short(id)))
}

// elicited judges the answer to an elicitation.
func (c *questionsConn) elicited(ev *session.Event, f form, answer []byte, r session.Reporter) {
	c.Call()
	say := func(severity session.Severity, text string) {
		r.Report(elicitationResult.At(ev, "the answer to %s %s", f.name, text).Graded(severity).Keyed(severity.String()))
	}
	action, content := lex.Get(answer, "action"), lex.Get(answer, "content")
	given := content != nil && jsonrpc.TypeOf(content) != jsonrpc.Null
	switch {
	case jsonrpc.TypeOf(action) != jsonrpc.String:
		say(session.Error, "has an action that is "+rule.TypeName(jsonrpc.TypeOf(action)))
	case lex.IsText(action, "decline"), lex.IsText(action, "cancel"):
		if given && string(content) != "{}" {
			say(session.Info, "has content with the action "+lex.Unquote(action))
		}
	case !lex.IsText(action, "accept"):
		say(session.Error, "has the action "+rule.Short(action))
	case f.url:
		if given && string(content) != "{}" {
			say(session.Info, "has content, but the elicitation is by URL")
		}
	case f.schema == nil:
	case given && jsonrpc.TypeOf(content) != jsonrpc.Object && ev.Message.Kind == jsonrpc.Result: // invalid-member
	default:
		if !given {
			content = []byte("{}")
		}
		if wrong := c.Validate(&rule.Compiled{}, f.schema, content); wrong != nil {
			say(session.Warning, "does not match its form: "+rule.PathText("content", wrong.Path)+" "+rule.Printable(wrong.Text))
		}
	}
}

var elicitationModeUndeclared = &rule.Rule{ID: "elicitation-mode-undeclared", Severity: session.Error, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4}
var elicitationSchemaComplex = &rule.Rule{ID: "elicitation-schema-complex", Alone: true, Severity: session.Error, Fault: rule.Server, Since: mcp.V3}
var elicitationSecret = &rule.Rule{ID: "elicitation-secret", Alone: true, Severity: session.Warning, Fault: rule.Server, Since: mcp.V3}
var elicitationURL = &rule.Rule{ID: "elicitation-url", Alone: true, Severity: session.Warning, Fault: rule.Server, Since: mcp.V4}
var elicitationResult = &rule.Rule{ID: "elicitation-result", Alone: true, Severity: session.Warning, Fault: rule.Client, Since: mcp.V3}
var elicitationCompleteUnknown = &rule.Rule{ID: "elicitation-complete-unknown", Severity: session.Warning, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4, NeedsAll: true}
