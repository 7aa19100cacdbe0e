package flags

import (
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/session/path"
	"wiretea/ui/cli/term"
)

// InPath says what decides on messages before they are forwarded.
type InPath struct {
	policy  string
	faults  []string
	file    string
	timeout time.Duration
}

// Add adds --policy, --fault and --faults to a command.
func (o *InPath) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.policy, "policy", "", "forward only the messages that the rules in `FILE` allow; see wiretea policy --help")
	_ = cmd.MarkFlagFilename("policy", "toml")
	o.AddFaults(cmd)
}

// AddClientTimeout adds --client-timeout to a command with a real client.
func (o *InPath) AddClientTimeout(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&o.timeout, "client-timeout", 0, "how long the client waits for a response: a held message is released before that, and a later response is late (default 60s)")
}

// AddFaults adds --fault and --faults to a command.
func (o *InPath) AddFaults(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.faults, "fault", nil, "break messages on purpose, `SPEC` = 'FILTER: KIND(ARGUMENT) p=0.1 n=3 seed=7'; repeatable; a wrong KIND lists them")
	cmd.Flags().StringVar(&o.file, "faults", "", "break messages as the [faults] in the TOML `FILE` say, behind those of --fault")
	_ = cmd.MarkFlagFilename("faults", "toml")
	var kinds []string
	for _, k := range path.FaultKinds() {
		name := "m:tools/call: " + k.Name
		if k.Argument != "" {
			name += "(" + k.Argument + ")"
		}
		kinds = append(kinds, name+"\t"+k.Help)
	}
	term.Complete(cmd, "fault", kinds...)
}

// Read reads what the flags name, for messages over a transport: path.Stdio or path.HTTP, or
// path.Everywhere for a way that is neither alone.
func (o *InPath) Read(over path.Where) (in capture.InPath, err error) {
	if o.policy != "" {
		if in.Policy, err = path.OpenPolicy(o.policy); err != nil {
			return in, term.Usage("wiretea policy FILE explains a policy; nothing was started", "%w", err)
		}
	}
	in.ClientTimeout = o.timeout
	in.Faults, err = o.ReadFaults(over)
	return in, err
}

// ReadFaults is Read for --fault and --faults alone.
func (o *InPath) ReadFaults(over path.Where) (all path.Faults, err error) {
	for _, spec := range o.faults {
		f, err := path.ParseFault(spec)
		if err != nil {
			return nil, term.Usage("as in --fault 'm:tools/call is:request: delay(2s) n=3'; nothing was started", "%w", err)
		}
		all = append(all, f)
	}
	if o.file != "" {
		more, err := path.OpenFaults(o.file)
		if err != nil {
			return nil, term.Usage("docs/faults.md shows such a file; nothing was started", "%w", err)
		}
		all = append(all, more...)
	}
	if err := all.Over(over); err != nil {
		return nil, term.Usage("docs/faults.md says which kinds work where; nothing was started", "%w", err)
	}
	return all, nil
}
