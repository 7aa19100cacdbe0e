package flags

import (
	"path/filepath"
	"strings"

	"wiretea/recorder/capture"
)

// Session is all of a session with a server that this process starts.
type Session struct {
	Server Server
	Client Client
	Record Record
}

// Config returns the configuration of the session.
func (o *Session) Config() (capture.Config, error) {
	cfg, err := o.Client.Config(o.Server.Limits)
	if err != nil {
		return capture.Config{}, err
	}
	return capture.Config{
		Name: o.Server.Name, Server: o.Server.Process(), Limits: o.Server.Limits, Record: o.Record.Record,
		Client: cfg, LogLevel: o.Client.LogLevel, As: o.as(),
	}, nil
}

// as returns the flags that make a client of wiretea behave as this one: those that
// were given. Files and folders in them are absolute. The limits of the session are
// in its header.
func (o *Session) as() []string {
	var words []string
	add := func(flag, value, usual string) {
		if value != "" && value != usual {
			words = append(words, "--"+flag, value)
		}
	}
	c := &o.Client
	add("era", c.Era, "auto")
	add("protocol-version", c.ProtocolVersion, "")
	add("framing", c.Framing, "ndjson")
	add("client-info", c.Identity.Info, "")
	add("capabilities", c.Identity.Capabilities, "")
	add("sampling", answerWord(c.Identity.Sampling), "none")
	add("elicitation", answerWord(c.Identity.Elicitation), "none")
	switch {
	case len(c.Roots) > 0:
		for _, root := range c.Roots {
			add("root", rootWord(root), "none")
		}
	case c.AskRoots:
		add("root", "ask", "")
	}
	add("log-level", c.LogLevel, "")
	return words
}

// answerWord is a policy's word, a file in it with its whole path.
func answerWord(word string) string {
	switch word {
	case "", "ask", "accept", "decline", "none":
		return word
	}
	if strings.HasPrefix(word, "text:") {
		return word
	}
	return wholePath(word)
}

// rootWord is a root with its whole path.
func rootWord(root string) string {
	if root == "ask" || root == "none" || strings.Contains(root, "://") {
		return root
	}
	return wholePath(root)
}

// wholePath is a path that does not depend on the working folder; as it is where
// that is not known.
func wholePath(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}
