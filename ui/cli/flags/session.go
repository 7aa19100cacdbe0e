package flags

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/path"
	"wiretea/session/text"
	"wiretea/session/transport"
	"wiretea/ui/cli/term"
	"wiretea/ui/source"
	"wiretea/ui/viewer"
)

// Session is all of a session with a server that this process starts.
type Session struct {
	Server Server
	Client Client
	Record Record
	InPath InPath
}

// Config returns the configuration of the session.
func (o *Session) Config() (capture.Config, error) {
	patience := o.Server.patience()
	cfg, err := o.Client.Config(o.Server.Limits)
	if err != nil {
		return capture.Config{}, err
	}
	server, err := o.Server.server()
	if err != nil {
		return capture.Config{}, err
	}
	if o.Server.HTTP.mode == "sse" && cfg.Era == client.Auto {
		cfg.Era = client.Legacy // the other one does not go over it
	}
	over := path.Stdio
	if IsURL(o.Server.Argv) {
		over = path.HTTP
	}
	inPath, err := o.InPath.Read(over)
	if err != nil {
		return capture.Config{}, err
	}
	return capture.Config{
		Name: o.Server.Name, Server: server, Limits: o.Server.Limits, Record: o.Record.Record,
		Client: cfg, LogLevel: o.Client.LogLevel, As: o.as(), Patience: patience, InPath: inPath,
	}, nil
}

// View begins the session as one that the screen shows. Where asks is set, the server's
// questions go to the person at the screen unless a flag says otherwise. moved is
// capture.Config.Moved. warn takes what the user must see at once.
func (o *Session) View(title string, asks bool, moved func(*session.Snapshot, recorder.Log), warn io.Writer) (*viewer.Session, error) {
	wake := capture.NewWake()
	var questions *source.Questions
	if asks {
		questions = source.NewQuestions(wake.Notify)
		o.Client.AskOnScreen(questions, warn)
	}
	cfg, err := o.Config()
	if err != nil {
		return nil, err
	}
	cfg.Wake, cfg.Moved, cfg.Warn = wake, moved, warn
	release := func(run *capture.Run, errw io.Writer) error { return o.Record.Release(run, errw, false) }
	src, err := viewer.NewSession(title, cfg, questions, release)
	if err != nil {
		return nil, o.Record.Failure(err)
	}
	return src, nil
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
	c, answers := &o.Client, []string{"", "ask", "accept", "decline", "none"}
	add("era", c.Era, "auto")
	add("protocol-version", c.ProtocolVersion, "")
	add("framing", c.Framing, "auto")
	add("client-info", c.Identity.Info, "")
	add("capabilities", c.Identity.Capabilities, "")
	add("sampling", wholePath(c.Identity.Sampling, answers...), "none")
	add("elicitation", wholePath(c.Identity.Elicitation, answers...), "none")
	for _, root := range c.Roots {
		add("root", wholePath(root, "ask", "none"), "none")
	}
	if len(c.Roots) == 0 && c.Notes != nil {
		add("root", wholePath("."), "")
	}
	add("log-level", c.LogLevel, "")
	if http := &o.Server.HTTP; IsURL(o.Server.Argv) {
		add("transport", http.mode, "auto")
		add("token-env", http.tokenEnv, "")
		add("login", http.login, "")
		add("cacert", wholePath(http.cacert, ""), "")
		for _, pair := range http.fromEnv {
			add("header-env", pair, "")
		}
	}
	return words
}

// wholePath is a path that does not depend on the working folder; as it is where that is
// not known, or where the text is not a path but one of words, a text, or a URI.
func wholePath(path string, words ...string) string {
	if slices.Contains(words, path) || strings.HasPrefix(path, "text:") || strings.Contains(path, "://") {
		return path
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// Server says what server is started, or connected to, and how it is judged.
type Server struct {
	Name   string   // Name is what the user calls the server; empty means that there is none.
	Argv   []string // Argv is its command line, or its URL.
	Shown  []string // Shown is what is recorded instead of Argv; nil = Argv.
	Cwd    string   // Cwd is the server's working directory; empty means ours.
	Env    []string // Env adds to our environment, as NAME=value.
	Grace  transport.Grace
	HTTP   HTTP // HTTP is for a URL.
	Limits session.Limits

	given func() *pflag.FlagSet // given are the flags of the command; nil = there are none.

	// FirstAnswer is the limit for initialize where Limits are the default ones; 0 = as
	// for any request.
	FirstAnswer time.Duration
}

// Patience is for how long a package manager may fetch or build a server before the
// time limits of its handshake run, unless there are limits of the user's.
const Patience = 5 * time.Minute

// patience returns for how long the time limits may stand still, and settles the limit
// of initialize.
func (o *Server) patience() time.Duration {
	usual := session.DefaultLimits().Timeout
	if _, set := o.Limits.Timeouts[mcp.Initialize]; set || o.Limits.Timeout < usual {
		return 0
	}
	if o.FirstAnswer > 0 && o.Limits.Timeout == usual {
		if o.Limits.Timeouts == nil {
			o.Limits.Timeouts = map[string]time.Duration{}
		}
		o.Limits.Timeouts[mcp.Initialize] = min(usual, o.FirstAnswer)
	}
	return Patience
}

// server is the server that Argv names.
func (o *Server) server() (capture.Server, error) {
	if !IsURL(o.Argv) {
		return &capture.Process{Argv: o.Argv, Shown: o.Shown, Dir: o.Cwd, Env: o.Env, Grace: o.Grace}, nil
	}
	opt, err := o.HTTP.Options(o.Argv, o.Grace)
	if err != nil {
		return nil, err
	}
	remote, err := capture.NewRemote(opt)
	if err != nil {
		return nil, term.Usage("--transport is auto, http or sse", "%w", err)
	}
	return remote, nil
}

// Add adds the flags to a command.
func (o *Server) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	o.given = cmd.Flags
	f.StringArrayVar(&o.Env, "env", nil, "set `NAME=VALUE` for the server, or pass on NAME, which must be set; repeatable")
	f.StringVar(&o.Cwd, "cwd", "", "start the server in this `FOLDER`")
	o.HTTP.Add(cmd)
	o.HTTP.AddLogin(cmd)
	f.DurationVar(&o.Grace.EOF, "shutdown-grace", 2*time.Second, "how long the server may take to exit after stdin is closed, and again after SIGTERM")
	term.LimitFlags(cmd, &o.Limits)
}

// Check refuses flags that make no sense, and settles the others.
func (o *Server) Check() error {
	if err := o.checkGiven(); err != nil {
		return err
	}
	for i, pair := range o.Env {
		name, _, given := strings.Cut(pair, "=")
		value, set := os.LookupEnv(name)
		switch {
		case name == "":
			return term.Usage("--env NAME=VALUE", "%q is not a variable", pair)
		case !given && !set:
			return term.Usage("--env NAME=VALUE, or export "+text.ShellWord(name)+" first", "the variable %q is not set", pair)
		case !given:
			o.Env[i] = name + "=" + value
		}
	}
	if o.Grace.EOF <= 0 {
		o.Grace.EOF = -1
	}
	o.Grace.Term = o.Grace.EOF
	return nil
}

// checkGiven refuses flags that do nothing: those of a URL with a command, and those of a command
// with a URL.
func (o *Server) checkGiven() (err error) {
	if o.given == nil || len(o.Argv) == 0 {
		return nil
	}
	o.given().Visit(func(f *pflag.Flag) {
		switch web := strings.HasPrefix(f.Usage, "URL: "); {
		case err != nil:
		case web && !IsURL(o.Argv):
			err = term.Usage("leave it away, or name a URL in the place of the command", "--%s is for a server at a URL", f.Name)
		case IsURL(o.Argv) && (f.Name == "env" || f.Name == "cwd"):
			err = term.Usage("leave it away, or start the server with a command", "--%s is for a server that is started, not for one at a URL", f.Name)
		}
	})
	return err
}

// Args refuses a command line without a server's command or URL, which -- may precede.
func Args(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return term.Usage(cmd.CommandPath()+" -- CMD ARGS…", "no server command given")
	}
	return nil
}
