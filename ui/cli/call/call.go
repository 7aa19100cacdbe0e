package call

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"wiretea/session/mcp"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
)

// callOptions are the flags of call.
type callOptions struct {
	flags.Session
	json  bool // json prints JSON as it came.
	quiet bool // quiet leaves out the findings.

	pretty    bool          // pretty indents JSON; set by --pretty, else by a terminal.
	text      bool          // text prints the texts of the result alone.
	raw       bool          // raw prints the response as it crossed the wire.
	listenFor time.Duration // listenFor is for how long a subscription is listened to; 0 = until it is ended.
	insist    bool          // insist sends also what does not fit the server's schema.
	repeat    int           // repeat is how often the request is made, at least 1.
	progress  bool          // progress tells the server's progress also where there is no terminal.
	task      bool          // task asks the server to run the request as a task.
	ttl       time.Duration // ttl is how long it should keep the task; 0 = it decides.
	parallel  int           // parallel is how many of them wait for their answers at once, at least 1.
}

// firstAnswer is how long call waits for the answer to initialize unless --timeout
// says otherwise: somebody sits before it. The time in which a package manager fetches
// the server does not count.
const firstAnswer = 20 * time.Second

func New() *cobra.Command {
	var o callOptions
	cmd := &cobra.Command{
		Use:   "call METHOD [PARAMS] [flags] -- CMD [ARGS…] | URL",
		Short: "make one request to a server and print the result",
		Long: `Starts a server, or connects to the one at a URL, makes the handshake of the era it
speaks, sends one request, prints the result on standard output and ends the server
or the session. Findings go to standard error, one
per line. The session is recorded.

The request is a method of the protocol with its parameters as JSON, as @FILE or as -
for standard input; or a short form:

  tools, resources, templates, prompts   list them, all pages
  tool NAME [ARGUMENT…]                  call a tool
  prompt NAME [ARGUMENT…]                get a prompt
  resource URI                           read a resource

A subscription (subscriptions/listen, or resources/subscribe in the legacy era)
stays open: the server's notifications are printed as they come, one per line, until
ctrl-c, the server or --timeout ends it, which is not an error. --timeout is then how
long the subscription stays open.

An ARGUMENT is name=value; the tool's schema says whether the value is text, a
number or a boolean. Nested values are written a.b=value, a list by repeating its
name or as JSON; name:=JSON gives any value. A single argument that begins with {, or
is @FILE or -, holds all of them. Arguments that do not fit the schema are reported
and not sent, unless --insist is given.

Exit code: 0 success, 1 an error response or a finding, 2 wrong usage, 3 the server
could not be started or died, 4 a timeout.`,
		Example: `  wiretea call tools -- npx -y @modelcontextprotocol/server-everything
  wiretea call tool get-sum a=2 b=3 --text -- npx -y @modelcontextprotocol/server-everything
  wiretea call tool search query=tea 'filter.tags=green' 'filter.tags=black' limit=5 -- ./my-server
  wiretea call tools/call '{"name":"echo","arguments":{"message":"hi"}}' -- ./my-server
  wiretea call tools/call @request.json --raw -- ./my-server
  wiretea call resource file:///etc/hosts --text --env API_KEY=x -- ./my-server
  wiretea call tool search query=tea --token-command 'gcloud auth print-identity-token' https://example.com/mcp
  wiretea call tools/list --json -- ./my-server | jq -r '.tools[].name'
  wiretea call tool echo message=hi --repeat 1000 --parallel 8 -- ./my-server
  wiretea call subscriptions/listen '{"notifications":{"toolsListChanged":true}}' --timeout 1m -- ./my-server`,
		Args:              callArgs,
		ValidArgsFunction: completeCall,
		RunE: func(cmd *cobra.Command, args []string) error {
			at := requestWords(cmd, args)
			o.Server.Argv = args[at:]
			return o.run(cmd, args[:at])
		},
	}
	o.callFlags(cmd)
	return cmd
}

// callArgs wants a request before --, and a command behind it.
func callArgs(cmd *cobra.Command, args []string) error {
	const form = "wiretea call METHOD [PARAMS] -- CMD ARGS…"
	switch at := requestWords(cmd, args); {
	case at < 0 || at == len(args):
		return term.Usage(form, "no server command given: put it after --")
	case at == 0:
		return term.Usage(form, "no request given: a method such as tools/list, or tools, tool, prompt, resource, …")
	default:
		return nil
	}
}

// requestWords is how many of the words are the request. The others are the server: behind
// --, or a URL in the last place.
func requestWords(cmd *cobra.Command, args []string) int {
	at := cmd.ArgsLenAtDash()
	if at < 0 && len(args) > 0 && flags.IsURL(args[len(args)-1:]) {
		return len(args) - 1
	}
	return at
}

func (o *callOptions) callFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.pretty, "pretty", false, "indent the JSON (default on a terminal; --pretty=false prints it as it came)")
	f.BoolVar(&o.text, "text", false, "print only the texts of the result")
	f.BoolVar(&o.raw, "raw", false, "print the response exactly as it crossed the wire")
	f.BoolVar(&o.json, "json", false, "print JSON as it came, on a terminal too")
	f.BoolVar(&o.insist, "insist", false, "send arguments that do not fit the server's schema, too")
	f.IntVar(&o.repeat, "repeat", 1, "make the request `N` times and print the latencies")
	f.IntVar(&o.parallel, "parallel", 1, "with --repeat: send up to `N` requests at once")
	f.BoolVar(&o.progress, "progress", false, "show the server's progress even if standard error is not a terminal")
	f.BoolVar(&o.task, "task", false, "ask the server to run the request as a task, and follow it to its end")
	f.DurationVar(&o.ttl, "task-ttl", 0, "with --task: how long the server should keep the task (default: the server decides)")
	o.Client.AddLogLevel(cmd)
	f.BoolVarP(&o.quiet, "quiet", "q", false, "leave out the findings")
	o.Client.Add(cmd, "none")
	o.Server.Add(cmd)
	f.Lookup("timeout").Usage += "; a subscription has no timeout by default"
	o.Record.Add(cmd)
	for _, other := range []string{"raw", "json", "pretty", "repeat"} {
		cmd.MarkFlagsMutuallyExclusive("text", other)
	}
	for _, other := range []string{"json", "pretty", "repeat"} {
		cmd.MarkFlagsMutuallyExclusive("raw", other)
	}
}

// check refuses flags that make no sense, and settles those left open.
func (o *callOptions) check(cmd *cobra.Command) error {
	switch {
	case o.repeat < 1 || o.parallel < 1:
		return term.Usage("--repeat 100 --parallel 4", "--repeat and --parallel must be at least 1")
	case o.parallel > 1 && o.repeat == 1:
		return term.Usage("as in --repeat 100 --parallel 4", "--parallel goes with --repeat")
	case o.ttl != 0 && !o.task:
		return term.Usage("--task runs the request as a task", "--task-ttl goes with --task")
	}
	if !cmd.Flags().Changed("pretty") {
		o.pretty = term.IsTerminal(cmd.OutOrStdout()) && !o.json
	}
	if err := errors.Join(o.Client.CheckLogLevel(), o.Record.Check()); err != nil {
		return err
	}
	o.Server.FirstAnswer = firstAnswer
	return o.Server.Check()
}

// completeCall completes the request: a method or a short form first.
func completeCall(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	// The library puts a -- of its own behind the last word.
	if len(args) > 0 || cmd.ArgsLenAtDash() != 0 {
		return nil, cobra.ShellCompDirectiveDefault // the server's command, or parameters, which may be a file
	}
	var words []string
	for _, form := range shortForms {
		words = append(words, form.word+"\t"+form.says)
	}
	for _, m := range mcp.Methods() {
		if !m.Notification && m.Dir != mcp.ServerToClient {
			words = append(words, m.Name+"\t"+methodSays(&m))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// methodSays is what is beside a method in a completion.
func methodSays(m *mcp.Method) string {
	says := "request"
	if m.Target != "" {
		says += " with " + m.Target
	}
	switch young, old := m.Since > mcp.V1, m.Until < mcp.LatestModern; {
	case old && m.Since == m.Until:
		says += ", " + m.Since.String() + " only"
	case young && old:
		says += ", " + m.Since.String() + " to " + m.Until.String()
	case young:
		says += ", since " + m.Since.String()
	case old:
		says += ", until " + m.Until.String()
	}
	return says
}
