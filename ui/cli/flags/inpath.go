package flags

import (
	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/session/decide/policy"
	"wiretea/ui/cli/term"
)

// InPath says what decides on messages before they are forwarded.
type InPath struct{ policy string }

// Add adds the flags to a command.
func (o *InPath) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.policy, "policy", "", "forward only the messages that the rules in `FILE` allow; see wiretea policy --help")
	_ = cmd.MarkFlagFilename("policy", "toml")
}

// Read reads what the flags name.
func (o *InPath) Read() (in capture.InPath, err error) {
	if o.policy != "" {
		if in.Policy, err = policy.Open(o.policy); err != nil {
			return in, term.Usage("wiretea policy check FILE explains a policy; nothing was started", "%w", err)
		}
	}
	return in, nil
}
