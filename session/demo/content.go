package demo

import (
	"fmt"
	"slices"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

const (
	aboutURI   = "demo://about"
	noteURI    = "demo://note"
	pictureURI = "demo://picture"
	picture    = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
)

func (s *server) listResources(r *request) {
	s.replyCacheable(r, `"resources":[`+
		`{"uri":"`+aboutURI+`","name":"about","description":"What this server is","mimeType":"text/markdown"},`+
		`{"uri":"`+noteURI+`","name":"note","description":"A note that the tool touch changes","mimeType":"text/plain"},`+
		`{"uri":"`+pictureURI+`","name":"picture","description":"One dot","mimeType":"image/png"}]`)
}

func (s *server) listTemplates(r *request) {
	s.replyCacheable(r, `"resourceTemplates":[{"uriTemplate":"demo://city/{name}","name":"city","description":"A line about a city","mimeType":"text/plain"}]`)
}

func (s *server) readResource(r *request) {
	var p struct {
		URI string `json:"uri"`
	}
	if err := r.param(&p); err != nil || p.URI == "" {
		s.fail(r, mcp.InvalidParams, "Invalid params: uri is missing", "")
		return
	}
	var mime, text string
	city, isCity := strings.CutPrefix(p.URI, "demo://city/")
	switch {
	case p.URI == pictureURI:
		s.replyCacheable(r, `"contents":[{"uri":"`+pictureURI+`","mimeType":"image/png","blob":"`+picture+`"}]`)
		return
	case p.URI == aboutURI:
		mime, text = "text/markdown", "# The demo server\n\n"+instructions+"\n"
	case p.URI == noteURI:
		mime, text = "text/plain", fmt.Sprintf("Changes so far: %d.", s.touched)
	case isCity && city != "":
		mime, text = "text/plain", city+" is a fine city."
	default:
		// -32002 until 2025-11-25, invalid params after (SEP-2164).
		code := mcp.ResourceNotFound
		if r.modern() {
			code = mcp.InvalidParams
		}
		s.fail(r, code, "Resource not found", `{"uri":`+lex.Quote(p.URI)+`}`)
		return
	}
	s.replyCacheable(r, fmt.Sprintf(`"contents":[{"uri":%s,"mimeType":"%s","text":%s}]`, lex.Quote(p.URI), mime, lex.Quote(text)))
}

func (s *server) listPrompts(r *request) {
	s.replyCacheable(r, `"prompts":[`+
		`{"name":"greet","description":"Greets somebody","arguments":[{"name":"name","description":"Whom","required":true},{"name":"language","description":"In which language"}]},`+
		`{"name":"haiku","description":"Asks for a haiku about pipes"}]`)
}

func (s *server) getPrompt(r *request) {
	var p struct {
		Name string            `json:"name"`
		Args map[string]string `json:"arguments"`
	}
	if err := r.param(&p); err != nil {
		s.fail(r, mcp.InvalidParams, "Invalid params: "+err.Error(), "")
		return
	}
	var text string
	switch {
	case p.Name == "haiku":
		text = "Write a haiku about pipes."
	case p.Name == "greet" && p.Args["name"] == "":
		s.fail(r, mcp.InvalidParams, "Invalid params: greet needs the argument name", "")
		return
	case p.Name == "greet":
		text = "Greet " + p.Args["name"]
		if p.Args["language"] != "" {
			text += " in " + p.Args["language"]
		}
		text += "."
	default:
		s.fail(r, mcp.InvalidParams, "Unknown prompt: "+p.Name, "")
		return
	}
	s.reply(r, `"messages":[{"role":"user","content":`+textBlock(text)+`}]`)
}

// completions are the values for arguments of prompts and of templates.
var completions = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{
		"greet language":          {"English", "Esperanto", "French", "German", "Japanese"},
		"demo://city/{name} name": {"Berlin", "Bern", "Kyoto", "Lima", "Lisbon"},
	}
}}

func (s *server) complete(r *request) {
	var p struct {
		Ref      struct{ Name, URI string }
		Argument *struct{ Name, Value string }
	}
	if err := r.param(&p); err != nil || p.Argument == nil {
		s.fail(r, mcp.InvalidParams, "Invalid params: argument is missing", "")
		return
	}
	known := completions.Get()[p.Ref.Name+p.Ref.URI+" "+p.Argument.Name]
	var values []string
	for _, v := range known {
		if strings.HasPrefix(strings.ToLower(v), strings.ToLower(p.Argument.Value)) {
			values = append(values, lex.Quote(v))
		}
	}
	s.reply(r, fmt.Sprintf(`"completion":{"values":[%s],"total":%d,"hasMore":false}`, join(values...), len(values)))
}

func (s *server) subscribe(r *request)   { s.setSubscribed(r, true) }
func (s *server) unsubscribe(r *request) { s.setSubscribed(r, false) }

func (s *server) setSubscribed(r *request, on bool) {
	var p struct {
		URI string `json:"uri"`
	}
	if err := r.param(&p); err != nil || p.URI == "" {
		s.fail(r, mcp.InvalidParams, "Invalid params: uri is missing", "")
		return
	}
	s.subscribed[p.URI] = on
	s.reply(r, "")
}

// A listen is an open subscription of the modern era.
type listen struct {
	of   *request
	uris []string
}

// listen opens a subscription. It acknowledges the part of the filter that this
// server supports, and responds only at its end ([V5]
// basic/patterns/subscriptions §Acknowledgment).
func (s *server) listen(r *request) {
	var p struct {
		Notifications *struct {
			Resources []string `json:"resourceSubscriptions"`
		} `json:"notifications"`
	}
	if err := r.param(&p); err != nil || p.Notifications == nil {
		s.fail(r, mcp.InvalidParams, "Invalid params: notifications is missing", "")
		return
	}
	l := &listen{of: r, uris: p.Notifications.Resources}
	s.listens = append(s.listens, l)
	filter := ""
	if len(l.uris) > 0 {
		var uris []string
		for _, uri := range l.uris {
			uris = append(uris, lex.Quote(uri))
		}
		filter = `"resourceSubscriptions":[` + join(uris...) + `]`
	}
	s.notify(r, mcp.AcknowledgedNotification, `{`+l.meta()+`,"notifications":{`+filter+`}}`)
}

func (l *listen) meta() string {
	return `"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(l.of.ID) + `}`
}

// updated notifies the subscribers of a resource of a change.
func (s *server) updated(uri string) {
	if s.subscribed[uri] {
		s.notify(nil, mcp.ResourcesUpdatedNotification, `{"uri":`+lex.Quote(uri)+`}`)
	}
	for _, l := range s.listens {
		if slices.Contains(l.uris, uri) {
			s.notify(l.of, mcp.ResourcesUpdatedNotification, `{`+l.meta()+`,"uri":`+lex.Quote(uri)+`}`)
		}
	}
}

// closeListens ends the subscriptions with their responses ([V5]
// basic/patterns/subscriptions §Graceful Closure).
func (s *server) closeListens() {
	for _, l := range s.listens {
		s.result(l.of, fmt.Sprintf(`"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":%s,"io.modelcontextprotocol/serverInfo":%s}`, l.of.ID, serverInfo))
	}
	s.listens = nil
}
