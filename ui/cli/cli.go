package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wiretea/session/text"
	"wiretea/ui/cli/attach"
	"wiretea/ui/cli/call"
	"wiretea/ui/cli/check"
	"wiretea/ui/cli/clients"
	"wiretea/ui/cli/files"
	"wiretea/ui/cli/replay"
	"wiretea/ui/cli/run"
	"wiretea/ui/cli/term"
)

// Main runs wiretea with the given arguments and returns its exit code.
func Main(args []string) int {
	log.SetOutput(io.Discard) // Package net/http logs there what servers do wrong, and a client takes a tee's stderr for the server's.
	if len(args) > 0 && args[0] == attach.TeeGuard {
		return attach.GuardTee(args[1:])
	}
	if len(args) > 0 && args[0] == "version" {
		// It prints a line: signals may end it, and it starts no process.
		return runMain(context.Background(), args, os.Stdin, term.Output(os.Stdout), term.Output(os.Stderr))
	}
	// Both take a while and are not in each other's way.
	taken := make(chan context.Context, 1)
	go func() {
		expectChildren()
		taken <- takeSignals(args)
	}()
	root := rootFor(args)
	errw := term.Output(os.Stderr)
	if isTee(args) {
		// A client waits for the server, whose start needs neither.
		err := carryOut(context.Background(), root, args, os.Stdin, term.Output(os.Stdout), errw)
		<-taken
		return finish(err, errw)
	}
	return finish(carryOut(<-taken, root, args, os.Stdin, term.Output(os.Stdout), errw), errw)
}

// isTee reports whether the arguments are those of tee, whose signals are its server's.
func isTee(args []string) bool { return len(args) > 0 && args[0] == "tee" }

// takeSignals takes the signals over until the program exits. The context ends when
// one asks it to. Those of a tee are its server's: until there is one, they do what
// they do to any program.
func takeSignals(args []string) context.Context {
	// That nobody reads our output any more is an error of the write: the session
	// still has to be ended. Servers start with the signal as it is for everybody.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if isTee(args) {
		return context.Background()
	}
	untilInterrupt, again := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, _ := signal.NotifyContext(untilInterrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	// A second ctrl-c ends the program at once, whatever is left to print, unless
	// a server has still to be ended: then it ends that at once.
	context.AfterFunc(ctx, again)
	return ctx
}

// expectChildren has package os find out now what the system knows of handles for
// processes, which it does before the first one is started: it starts one for that.
func expectChildren() {
	if us, err := os.FindProcess(os.Getpid()); err == nil {
		_ = us.Release()
	}
}

// runMain is Main with its surroundings given. ctx ends when the user wants the
// program to end properly.
func runMain(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	return finish(carryOut(ctx, rootFor(args), args, in, out, errw), errw)
}

// carryOut carries out the command that the arguments name.
func carryOut(ctx context.Context, root *cobra.Command, args []string, in io.Reader, out, errw io.Writer) error {
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errw)
	return interrupted(ctx, inOurWords(root.ExecuteContext(ctx)))
}

// finish says what has failed, and returns the exit code.
func finish(err error, errw io.Writer) int {
	if term.ReaderGone(err) {
		return term.ExitPipe
	}
	if err != nil && err.Error() != "" {
		fmt.Fprintf(errw, "wiretea: %s\n", visibleLines(err.Error()))
		if f, ok := errors.AsType[*term.Failure](err); ok && f.Hint != "" {
			fmt.Fprintf(errw, "  hint: %s\n", visibleLines(f.Hint))
		}
	}
	return term.ExitCode(err)
}

// visibleLines makes visible what file names and recordings bring into a message, which
// may have several lines. None of the further ones looks like a message or a hint of ours.
func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = term.Visible(line)
		if i > 0 && (!strings.HasPrefix(line, "  ") || strings.HasPrefix(strings.TrimSpace(line), "hint:")) {
			lines[i] = "    " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// inOurWords words what the library says of flags that exclude one another.
func inOurWords(err error) error {
	if err == nil {
		return nil
	}
	_, names, found := strings.Cut(err.Error(), "none of the others can be; [")
	if names, all := strings.CutSuffix(names, "] were all set"); found && all {
		return term.Usage("leave one of them out", "--%s do not go together", strings.Join(strings.Fields(names), " and --"))
	}
	return err
}

// interrupted words the error of a command that its user ended while it waited.
func interrupted(ctx context.Context, err error) error {
	canceled := context.Canceled.Error()
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), canceled) {
		return err
	}
	return &term.Failure{Code: term.ExitInterrupted, Err: errors.New(strings.Replace(err.Error(), canceled, "interrupted", 1))}
}

// rootFor is the root that args need: a command does not wait for the flags of all the
// others, which the library would keep as long as the process is there.
func rootFor(args []string) *cobra.Command {
	for _, c := range commands {
		if len(args) > 0 && args[0] == c.name {
			root := emptyRoot()
			root.AddCommand(c.build())
			root.CompletionOptions.DisableDefaultCmd = true
			hintArguments(root)
			return root
		}
	}
	return newRoot()
}

// The groups of commands in the help of the root.
const (
	groupWatch      = "Watch a session:"
	groupTest       = "Test a server:"
	groupRecordings = "Work with recordings:"
	groupSetup      = "Set up:"
)

// commands are all commands, in the order of the help. A new one needs a file with its
// constructor and a line here.
var commands = []struct {
	name  string
	build func() *cobra.Command
	group string
}{
	{"run", run.New, groupWatch},
	{"tee", attach.NewTee, groupWatch},
	{"proxy", attach.NewProxy, groupWatch},
	{"attach", attach.New, groupWatch},
	{"policy", check.NewPolicy, groupWatch},
	{"demo", run.NewDemo, groupWatch},
	{"call", call.New, groupTest},
	{"check", check.New, groupTest},
	{"drill", check.NewDrill, groupTest},
	{"rules", check.NewRules, groupTest},
	{"replay", replay.New, groupTest},
	{"mock", replay.NewMock, groupTest},
	{"open", newOpen, groupRecordings},
	{"sessions", files.NewSessions, groupRecordings},
	{"diff", files.NewDiff, groupRecordings},
	{"export", files.NewExport, groupRecordings},
	{"redact", files.NewRedact, groupRecordings},
	{"scan", files.NewScan, groupRecordings},
	{"clients", clients.New, groupSetup},
	{"wrap", clients.NewWrap, groupSetup},
	{"unwrap", clients.NewUnwrap, groupSetup},
	{"version", newVersion, groupSetup},
}

// newRoot is the root with all commands.
func newRoot() *cobra.Command {
	root := emptyRoot()
	for _, title := range []string{groupWatch, groupTest, groupRecordings, groupSetup} {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
	}
	for _, c := range commands {
		cmd := c.build()
		cmd.GroupID = c.group
		root.AddCommand(cmd)
	}
	root.SetCompletionCommandGroupID(groupSetup)
	root.SetHelpCommandGroupID(groupSetup)
	root.InitDefaultCompletionCmd()
	hintArguments(root)
	root.InitDefaultHelpCmd()
	wordDefaults(root)
	return root
}

// wordDefaults words the commands that the library adds as ours are worded.
func wordDefaults(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Short = "explain a command"
			cmd.Args = func(_ *cobra.Command, words []string) error {
				found, rest, err := root.Find(words)
				switch {
				case err != nil || len(rest) == 0 || !found.HasAvailableSubCommands():
					return err
				case found == root:
					return noSuchCommand(root, rest)
				}
				return noSubcommand(found, rest[0])
			}
		case "completion":
			cmd.Short = "print a shell's completion script"
			for _, shell := range cmd.Commands() {
				shell.Short = "print the completion script for " + shell.Name()
			}
		}
	}
}

// inTableOrder has the help list commands in the order of their table, from the first call on.
// It is a variable of cobra's, and tests run in parallel.
var inTableOrder sync.Once

func emptyRoot() *cobra.Command {
	inTableOrder.Do(func() { cobra.EnableCommandSorting = false })
	var first homeOptions
	root := &cobra.Command{
		Use:   "wiretea",
		Short: "inspect and debug Model Context Protocol servers",
		Long: `wiretea starts a server of the Model Context Protocol, or sits between a client
and its server, over stdio or HTTP. It shows the traffic live, with the latency of
each request, violations of the protocol, stderr and the process. Every session is
recorded, byte for byte, and can be opened, checked, replayed and exported.

Without a command it shows live sessions, the servers of your clients, recordings,
and a demo.`,
		Example: `  wiretea
  wiretea demo
  wiretea run --plain -- npx -y @modelcontextprotocol/server-everything
  wiretea check -- ./my-server
  wiretea open --plain session.mcpcap.jsonl`,
		Args:          noSuchCommand,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return first.run(cmd)
		},
	}
	first.flags(root)
	root.SetFlagErrorFunc(flagError)
	return root
}

// flagError words why a flag, or its value, is refused.
func flagError(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help lists the flags"
	unknown, is := errors.AsType[*pflag.NotExistError](err)
	switch {
	case !is:
	case !cmd.HasParent() && slices.Contains([]string{"version", "v", "V"}, unknown.GetSpecifiedName()):
		hint = "wiretea version prints the version"
	case unknown.GetSpecifiedShortnames() == "":
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		hint = text.Nearest("--"+unknown.GetSpecifiedName(), known, hint)
	}
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return term.Usage(hint, "%w", err)
	}
	name, value, kind := "--"+wrong.GetFlag().Name, wrong.GetValue(), wrong.GetFlag().Value.Type()
	switch number, is := errors.AsType[*strconv.NumError](err); {
	case kind == "duration":
		return term.Usage("a duration has a unit: 500ms, 30s, 2m", "%s: %q is not a duration", name, value)
	case is && errors.Is(number, strconv.ErrRange):
		return term.Usage(hint, "%s: %s is out of range", name, value)
	case is && strings.HasPrefix(kind, "uint") && strings.HasPrefix(value, "-"):
		return negative(cmd, wrong.GetFlag(), value)
	case is && kind == "bool":
		return term.Usage(hint, "%s: %q is not true or false", name, value)
	case is && strings.HasPrefix(kind, "float"):
		return term.Usage(hint, "%s: %q is not a number", name, value)
	case is:
		return term.Usage(hint, "%s: %q is not a whole number", name, value)
	}
	return term.Usage(hint, "%s: %w", name, wrong.Unwrap())
}

// refuseNegative refuses flags with a negative number or duration: there is none of a
// command that has a meaning below 0.
func refuseNegative(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch kind := f.Value.Type(); kind {
		case "int", "int64", "float64", "duration":
			if value := f.Value.String(); err == nil && strings.HasPrefix(value, "-") {
				err = negative(cmd, f, value)
			}
		}
	})
	return err
}

// negative says that a flag was given a negative value, and what one looks like.
func negative(cmd *cobra.Command, f *pflag.Flag, value string) error {
	example := f.DefValue
	switch {
	case example == "0s":
		example = "30s"
	case example == "0":
		return term.Usage(cmd.CommandPath()+" --help says what it may be", "--%s: %s is negative", f.Name, value)
	}
	return term.Usage("as in --"+f.Name+" "+example, "--%s: %s is negative", f.Name, value)
}

// noSuchCommand refuses words that do not name a command.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return term.Usage(text.Nearest(args[0], names, "wiretea --help lists the commands"), "unknown command %q", args[0])
}

// hintArguments makes what the library says of the words behind each command say
// what to write instead. It also has each command refuse negative numbers.
func hintArguments(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		if err := refuseNegative(cmd); err != nil || check == nil {
			return err
		}
		return hinted(cmd, words, check(cmd, words))
	}
	if !cmd.Runnable() {
		cmd.RunE = func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				return noSubcommand(cmd, words[0])
			}
			return cmd.Help()
		}
	}
	for _, sub := range cmd.Commands() {
		hintArguments(sub)
	}
}

// hinted words an error about the words behind a command, unless that was done.
func hinted(cmd *cobra.Command, words []string, err error) error {
	var f *term.Failure
	switch {
	case err == nil, errors.As(err, &f):
		return err
	case len(words) == 0:
		return term.Usage(cmd.UseLine(), "%s: an argument is missing", cmd.CommandPath())
	case cmd.HasAvailableSubCommands():
		return noSubcommand(cmd, words[0])
	}
	return term.Usage(cmd.UseLine(), "%s does not take %q", cmd.CommandPath(), words[len(words)-1])
}

func noSubcommand(cmd *cobra.Command, word string) error {
	return term.Usage(cmd.CommandPath()+" --help lists the commands", "unknown command %q", cmd.CommandPath()+" "+word)
}
