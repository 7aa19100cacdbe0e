package clientconfig

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"wiretea/session/lazy"
)

// ErrURLForm is returned when a server's URL is written in a way from which unwrap
// could not restore it, or by which the proxy would not find the server.
var ErrURLForm = errors.New("only a URL like https://host/path can be wrapped: no user in it, no placeholder before the path, no escapes")

// A Detour is a path of the local proxy that stands for the origin of a server's
// URL. It says all that the proxy must know, and all that unwrap must know.
type Detour struct {
	URL    string // URL is what the client calls: http://127.0.0.1:24817/shop~k3…~https:example.com/mcp.
	Port   int    // Port is the proxy's, on 127.0.0.1.
	Name   string // Name is the first segment of the path. Nobody can guess it.
	Origin string // Origin is the server's: https://example.com.
}

var (
	// plainURL is a URL that can be wrapped: its origin, and the rest.
	plainURL = lazy.Regexp{Text: `^(https?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?($|[/?#])`}

	// detourURL is one that is wrapped: up to the end of what stands for the origin.
	detourURL = lazy.Regexp{Text: `^http://127\.0\.0\.1:([0-9]{1,5})/([A-Za-z0-9._-]+~[a-z0-9]{16}~(https?):([A-Za-z0-9._-]+|=[0-9A-Fa-f:.]+=)(:[0-9]+)?)($|[/?#])`}

	notInName = lazy.Regexp{Text: `[^A-Za-z0-9._-]+`}
)

// newDetour returns what stands for a server's origin, and how long that origin is
// in the URL; 0 = the URL cannot be wrapped.
func newDetour(name, url string, port int) (text string, length int) {
	m := plainURL.Get().FindStringSubmatchIndex(url)
	if m == nil {
		return "", 0
	}
	part := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return url[m[2*i]:m[2*i+1]]
	}
	// Brackets cannot be in a path, and no host has an equals sign.
	host := strings.NewReplacer("[", "=", "]", "=").Replace(part(2))
	name = strings.Trim(notInName.Get().ReplaceAllString(name, "-"), "-.")
	if name = name[:min(len(name), 40)]; name == "" {
		name = "server"
	}
	random := strings.ToLower(rand.Text()[:16])
	return fmt.Sprintf("http://127.0.0.1:%d/%s~%s~%s:%s%s", port, name, random, part(1), host, part(3)), m[8]
}

// parseDetour finds the detour that a URL begins with, and how long it is; nil =
// there is none.
func parseDetour(url string) (d *Detour, length int) {
	m := detourURL.Get().FindStringSubmatch(url)
	if m == nil {
		return nil, 0
	}
	port, err := strconv.Atoi(m[1])
	if err != nil || port > 1<<16-1 {
		return nil, 0
	}
	host := m[4]
	if inner, ok := strings.CutPrefix(host, "="); ok {
		host = "[" + strings.TrimSuffix(inner, "=") + "]"
	}
	return &Detour{URL: url, Port: port, Name: m[2], Origin: m[3] + "://" + host + m[5]}, len(m[0]) - len(m[6])
}

// WrapURL returns the change by which the client calls the local proxy at a port
// instead of a server's URL. A server that is wrapped already keeps its path, and its
// port becomes the given one.
func (f File) WrapURL(s Server, port int) (Change, error) {
	s, err := f.editable(s)
	switch {
	case err != nil:
		return Change{}, err
	case s.url == nil:
		return Change{}, fmt.Errorf("server %q: it is started by a command", s.Name)
	}
	inner, err := s.innerURL(f.data)
	if err != nil {
		return Change{}, err
	}
	if d := s.Detour; d != nil {
		if d.Port == port {
			return f.change(nil, true)
		}
		at := inner.from + len("http://127.0.0.1:")
		return f.change([]edit{{span{at, at + len(strconv.Itoa(d.Port))}, strconv.Itoa(port)}}, true)
	}
	text, length := newDetour(s.Name, inner.of(f.data), port)
	if length == 0 {
		return Change{}, fmt.Errorf("server %q: %w", s.Name, ErrURLForm)
	}
	return f.change([]edit{{span{inner.from, inner.from + length}, text}}, true)
}

// unwrapURL gives the URL its origin back.
func (s Server) unwrapURL(data []byte) ([]edit, error) {
	if s.Detour == nil {
		return nil, nil
	}
	inner, err := s.innerURL(data)
	if err != nil {
		return nil, err
	}
	d, length := parseDetour(inner.of(data))
	if d == nil {
		return nil, ErrURLForm
	}
	return []edit{{span{inner.from, inner.from + length}, d.Origin}}, nil
}

// innerURL is where the URL's text is in the file, without its quotes, which only YAML
// can do without.
func (s Server) innerURL(data []byte) (span, error) {
	text := s.url.at.of(data)
	if text != "" && text[0] != '"' && text[0] != '\'' {
		return s.url.at, nil
	}
	if len(text) < 2 || strings.HasPrefix(text, `"""`) || strings.HasPrefix(text, "'''") {
		return span{}, fmt.Errorf("server %q: %w", s.Name, ErrURLForm)
	}
	return span{s.url.at.from + 1, s.url.at.to - 1}, nil
}

var (
	secretUser  = lazy.Regexp{Text: `(://|:\\/\\/)[^/\\?#]*@`}
	secretQuery = lazy.Regexp{Text: `\?[^#]*`}
)

// ShownURL is the text of a URL without what may be secret in it: its user, and its query.
func ShownURL(text string) string {
	return secretQuery.Get().ReplaceAllString(secretUser.Get().ReplaceAllString(text, "${1}•••@"), "?•••")
}
