package questions

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"unicode"

	"wiretea/ui/format"
	"wiretea/ui/outside"
	"wiretea/ui/overlay"
)

// urlParts shows a URL that a server wants visited: all of it, its host by
// itself, and what should make one think twice. "Clients MUST … show the full
// URL to the user for examination before consent … SHOULD highlight the domain …
// and warn about ambiguous or suspicious URIs, such as those containing Punycode"
// ([V4] client/elicitation §Safe URL Handling). It is neither fetched nor opened.
func urlParts(text string) []overlay.Part {
	parts := []overlay.Part{overlay.Strong.Of("It wants you to visit:"), overlay.URL.Of(format.Visible([]byte(text), maxSaid))}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return append(parts, overlay.Warn.Of("This URL has no host."))
	}
	host := u.Hostname()
	parts = append(parts, overlay.Strong.Of("Its host is:"), overlay.Host.Of(format.Visible([]byte(u.Host), 500)))
	for _, words := range urlDoubts(u, host) {
		parts = append(parts, overlay.Warn.Of(words))
	}
	return parts
}

// urlDoubts are the reasons to distrust a URL.
func urlDoubts(u *url.URL, host string) []string {
	var doubts []string
	if strings.Contains("."+strings.ToLower(host), ".xn--") {
		doubts = append(doubts, "The host is written in Punycode: a browser shows it as other letters, which may look like those of another host.")
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		doubts = append(doubts, "The host has letters beyond ASCII, which may look like those of another host.")
	}
	if u.User != nil {
		doubts = append(doubts, "The text before the @ is not the host: "+format.Visible([]byte(u.User.Username()), 100))
	}
	ip := net.ParseIP(host)
	local := strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback() // It is this machine.
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		doubts = append(doubts, fmt.Sprintf("%s is not the web's scheme: another program would get the URL.", format.Visible([]byte(u.Scheme), 40)))
	case u.Scheme == "http" && !local:
		doubts = append(doubts, "The way there is not encrypted: http.")
	case ip != nil && !local:
		doubts = append(doubts, "The host is a bare address, which says nothing about whose it is.")
	}
	return doubts
}

// browse opens a URL of the web in the browser of the person: $BROWSER, else the
// system's. It does not wait for it.
func browse(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("only URLs of the web are opened; y copies this one")
	}
	if err := outside.Open(outside.Browser(), text); err != nil {
		return fmt.Errorf("no browser could be started: %w; y copies the URL", err)
	}
	return nil
}
