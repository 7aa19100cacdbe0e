package flags

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/transport"
	"wiretea/ui/cli/term"
)

// Server says what server is started and how it is judged.
type Server struct {
	Name   string // Name is what the user calls the server; empty means that there is none.
	Argv   []string
	Cwd    string   // Cwd is the server's working directory; empty means ours.
	Env    []string // Env adds to our environment, as NAME=value.
	Grace  transport.Grace
	Limits session.Limits
}

// Add adds the flags to a command.
func (o *Server) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.Env, "env", nil, "set `NAME=VALUE` for the server; repeatable")
	f.StringVar(&o.Cwd, "cwd", "", "start the server in this `FOLDER`")
	f.DurationVar(&o.Grace.EOF, "shutdown-grace", 2*time.Second, "how long the server may take to exit after stdin is closed, and again after SIGTERM")
	term.LimitFlags(cmd, &o.Limits)
}

// Check refuses flags that make no sense, and settles the others.
func (o *Server) Check() error {
	for _, pair := range o.Env {
		if key, _, ok := strings.Cut(pair, "="); !ok || key == "" {
			return term.Usage("--env NAME=VALUE", "%q is not a variable", pair)
		}
	}
	if o.Grace.EOF <= 0 {
		o.Grace.EOF = -1
	}
	o.Grace.Term = o.Grace.EOF
	return nil
}

// Process is the server as a command.
func (o *Server) Process() *capture.Process {
	return &capture.Process{Argv: o.Argv, Dir: o.Cwd, Env: o.Env, Grace: o.Grace}
}

// Args refuses a command line without a server command, which -- may precede.
func Args(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return term.Usage(cmd.CommandPath()+" -- CMD ARGS…", "no server command given")
	}
	return term.Httpless(args)
}
