package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/session/client"
	"wiretea/ui/cli/term"
)

// guiseOptions are who we say that we are, and what we answer to the server's
// questions.
type guiseOptions struct {
	info         string // info is clientInfo: NAME, NAME/VERSION or a JSON object; empty = wiretea's.
	capabilities string // capabilities is a JSON object; empty = what is true.
	sampling     string // sampling and elicitation are words of client.SetSampling and SetElicitation.
	elicitation  string
}

func (o *guiseOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.info, "client-info", "", "say that we are `NAME[/VERSION]`, or a JSON object")
	f.StringVar(&o.capabilities, "capabilities", "", "declare this `JSON` object of capabilities (default: what the answers below make true)")
	f.StringVar(&o.sampling, "sampling", "", "answer sampling by ask, decline, text:WORDS, or a `FILE` of answers; none = not declared (default: ask on the screen, else none)")
	f.StringVar(&o.elicitation, "elicitation", "", "answer elicitation by ask, accept, decline, or a `FILE` of answers; none = not declared (default: ask on the screen, else none)")
	words := func(fixed ...string) cobra.CompletionFunc {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return fixed, cobra.ShellCompDirectiveDefault
		}
	}
	_ = cmd.RegisterFlagCompletionFunc("sampling", words("ask", "decline", "text:"))
	_ = cmd.RegisterFlagCompletionFunc("elicitation", words("ask", "accept", "decline"))
}

// apply puts the flags into a client's configuration. human is asked where the
// word is ask; nil = nobody is there.
func (o *guiseOptions) apply(cfg *client.Config, human client.Asker) error {
	switch {
	case strings.HasPrefix(o.info, "{"):
		cfg.ClientInfo = json.RawMessage(o.info)
		if !json.Valid(cfg.ClientInfo) {
			return term.Usage(`--client-info '{"name":"claude-ai","version":"0.1.0"}'`, "--client-info is not JSON: %q", o.info)
		}
	case o.info != "":
		name, build, given := strings.Cut(o.info, "/")
		cfg.Name = name
		if given {
			cfg.Version = build
		}
	}
	if o.capabilities != "" {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(o.capabilities), &object); err != nil || object == nil {
			return term.Usage(`--capabilities '{"roots":{}}'`, "--capabilities is not a JSON object: %q", o.capabilities)
		}
		cfg.Capabilities = json.RawMessage(o.capabilities)
	}
	if err := cfg.SetSampling(o.sampling, human); err != nil {
		return term.Usage("ask (on a terminal), decline, text:WORDS, or a file of answers", "%w", err)
	}
	if err := cfg.SetElicitation(o.elicitation, human); err != nil {
		return term.Usage("ask (on a terminal), accept, decline, or a file of answers", "%w", err)
	}
	return nil
}

// logLevelFlag adds --log-level.
func logLevelFlag(cmd *cobra.Command, level *string) {
	cmd.Flags().StringVar(level, "log-level", "", "ask the server for log messages of this `LEVEL` and above: "+strings.Join(client.LogLevels(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("log-level", cobra.FixedCompletions(client.LogLevels(), cobra.ShellCompDirectiveNoFileComp))
}

// checkLogLevel refuses a level that is none.
func checkLogLevel(level string) error {
	for _, known := range append(client.LogLevels(), "") {
		if level == known {
			return nil
		}
	}
	return term.Usage(fmt.Sprintf("it is one of %s", strings.Join(client.LogLevels(), ", ")), "unknown log level %q", level)
}
