package cli

import (
	"path/filepath"
	"strings"
)

// serving is the server to start, with what its session's header says of us.
func (o *runOptions) serving() serverOptions {
	s := o.server
	s.as = o.as()
	return s
}

// as are the flags that make a client of wiretea's behave as this one: those that
// were chosen. Files and folders in them are found from anywhere. What limits the
// session has its header says by itself.
func (o *runOptions) as() []string {
	var words []string
	add := func(flag, value, usual string) {
		if value != "" && value != usual {
			words = append(words, "--"+flag, value)
		}
	}
	add("era", o.era, "auto")
	add("protocol-version", o.protocolVersion, "")
	add("framing", o.framing, "ndjson")
	add("client-info", o.guise.info, "")
	add("capabilities", o.guise.capabilities, "")
	add("sampling", answerWord(o.guise.sampling), "none")
	add("elicitation", answerWord(o.guise.elicitation), "none")
	switch {
	case len(o.roots) > 0:
		for _, root := range o.roots {
			add("root", rootWord(root), "none")
		}
	case o.desk != nil:
		add("root", "ask", "")
	}
	add("log-level", o.logLevel, "")
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
