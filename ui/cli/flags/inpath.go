package flags

import (
	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/session/decide/fault"
	"wiretea/session/decide/policy"
	"wiretea/ui/cli/term"
)

// InPath says what decides on messages before they are forwarded.
type InPath struct {
	policy string
	faults []string
}

// Add adds --policy to a command, and --fault where the messages go over stdio.
func (o *InPath) Add(cmd *cobra.Command, stdio bool) {
	cmd.Flags().StringVar(&o.policy, "policy", "", "forward only the messages that the rules in `FILE` allow; see wiretea policy --help")
	_ = cmd.MarkFlagFilename("policy", "toml")
	if !stdio {
		return
	}
	cmd.Flags().StringArrayVar(&o.faults, "fault", nil, "break messages on purpose, `SPEC` = 'FILTER: KIND(ARGUMENT) p=0.1 n=3 seed=7'; repeatable; a wrong KIND lists them")
	var kinds []string
	for _, k := range fault.Kinds() {
		kinds = append(kinds, "m:tools/call: "+k.Name)
	}
	term.Complete(cmd, "fault", kinds...)
}

// Read reads what the flags name.
func (o *InPath) Read() (in capture.InPath, err error) {
	if o.policy != "" {
		if in.Policy, err = policy.Open(o.policy); err != nil {
			return in, term.Usage("wiretea policy check FILE explains a policy; nothing was started", "%w", err)
		}
	}
	for _, spec := range o.faults {
		f, err := fault.Parse(spec)
		if err != nil {
			return in, term.Usage("as in --fault 'm:tools/call is:request: delay(2s) n=3'; nothing was started", "%w", err)
		}
		in.Faults = append(in.Faults, f)
	}
	return in, nil
}
