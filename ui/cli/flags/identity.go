package flags

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/session/client"
	"wiretea/ui/cli/term"
)

// Identity says what we tell the server about ourselves, and how we answer its
// requests.
type Identity struct {
	Info         string // Info is clientInfo: NAME, NAME/VERSION or a JSON object; empty = wiretea's.
	Capabilities string // Capabilities is a JSON object; empty = what is true.
	Sampling     string // Sampling and Elicitation are words of client.SetSampling and SetElicitation.
	Elicitation  string
}

// Add adds the flags to a command.
func (o *Identity) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Info, "client-info", "", "clientInfo to send: `NAME[/VERSION]`, or a JSON object")
	f.StringVar(&o.Capabilities, "capabilities", "", "client capabilities to send, a `JSON` object (default: those that the flags below provide)")
	f.StringVar(&o.Sampling, "sampling", "", "answer sampling by ask, decline, text:WORDS, or a `FILE` of answers; none = not declared (default: ask on the screen, else none)")
	f.StringVar(&o.Elicitation, "elicitation", "", "answer elicitation by ask, accept, decline, or a `FILE` of answers; none = not declared (default: ask on the screen, else none)")
	words := func(fixed ...string) cobra.CompletionFunc {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return fixed, cobra.ShellCompDirectiveDefault
		}
	}
	_ = cmd.RegisterFlagCompletionFunc("sampling", words("ask", "decline", "text:"))
	_ = cmd.RegisterFlagCompletionFunc("elicitation", words("ask", "accept", "decline"))
}

// Apply puts the flags into a client's configuration. human is asked where the
// word is ask; nil = nobody is there.
func (o *Identity) Apply(cfg *client.Config, human client.Asker) error {
	switch {
	case strings.HasPrefix(o.Info, "{"):
		cfg.ClientInfo = json.RawMessage(o.Info)
		if !json.Valid(cfg.ClientInfo) {
			return term.Usage(`--client-info '{"name":"claude-ai","version":"0.1.0"}'`, "--client-info is not JSON: %q", o.Info)
		}
	case o.Info != "":
		name, build, given := strings.Cut(o.Info, "/")
		cfg.Name = name
		if given {
			cfg.Version = build
		}
	}
	if o.Capabilities != "" {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(o.Capabilities), &object); err != nil || object == nil {
			return term.Usage(`--capabilities '{"roots":{}}'`, "--capabilities is not a JSON object: %q", o.Capabilities)
		}
		cfg.Capabilities = json.RawMessage(o.Capabilities)
	}
	if err := cfg.SetSampling(o.Sampling, human); err != nil {
		return term.Usage("ask (on a terminal), decline, text:WORDS, or a file of answers", "%w", err)
	}
	if err := cfg.SetElicitation(o.Elicitation, human); err != nil {
		return term.Usage("ask (on a terminal), accept, decline, or a file of answers", "%w", err)
	}
	return nil
}
