package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/demo"
	"wiretea/session/text"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/viewer"
)

func NewDemo() *cobra.Command {
	var serve, addr string
	var list, asJSON, isPlain bool
	var theme, tour string
	cmd := &cobra.Command{
		Use:   "demo [NAME]",
		Short: "play the embedded server, healthy, then faulty",
		Long: `Runs the embedded demo server: a healthy conversation first, then one fault after
the other, each in a child process of its own; or with --tour http the faults of HTTP.
On the screen n goes to the next scene, and N to the one before; --plain plays all
of them.
NAME runs only that behaviour.
--server serves it on stdin and stdout for any client, or for wiretea run, and so does
NAME where both are pipes. --http
serves the healthy server over HTTP, and each behaviour of HTTP at /NAME/mcp; NAME
puts that one at /mcp.`,
		Example: `  wiretea demo
  wiretea demo log-line
  wiretea demo --tour http
  wiretea demo --list
  wiretea demo --http 127.0.0.1:8000
  wiretea run --plain -- wiretea demo --server healthy`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeBehaviours,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case list:
				return listBehaviours(cmd.OutOrStdout(), asJSON)
			case serve != "":
				if err := knownBehaviour(serve); err != nil {
					return err
				}
				return term.Silently(demo.Serve(cmd.Context(), serve, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()))
			}
			if addr != "" {
				return serveHTTP(cmd, addr, args)
			}
			http := tour == "http"
			if !http && tour != "stdio" {
				return term.Usage("it is stdio or http", "unknown transport %q", tour)
			}
			scenes := demo.Tour()
			if http {
				scenes = demo.TourHTTP()
			}
			if len(args) == 1 {
				if err := knownBehaviour(args[0]); err != nil {
					return err
				}
				b, _ := demo.Lookup(args[0])
				if http = http || !b.OverStdio(); http && !b.OverHTTP() {
					return term.Usage("leave --tour http out", "the behaviour %q is one of stdio", b.Name)
				}
				if !http && !isPlain && term.IsPipe(cmd.InOrStdin()) && term.IsPipe(cmd.OutOrStdout()) { // A client started it.
					return term.Silently(demo.Serve(cmd.Context(), b.Name, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()))
				}
				scenes = []demo.Scene{{Behaviour: b, Says: "this server " + b.Title}}
			}
			server, err := newDemoServer(http)
			if err != nil {
				return err
			}
			defer server.close()
			return playDemo(cmd, server, scenes, isPlain, theme)
		},
	}
	cmd.Flags().StringVar(&serve, "server", "", "serve the behaviour `NAME` on stdin and stdout")
	cmd.Flags().StringVar(&addr, "http", "", "serve over HTTP at `ADDR`; port 0 is a free one")
	cmd.Flags().BoolVar(&isPlain, "plain", false, "print the traffic line by line")
	display.ThemeFlag(cmd, &theme)
	cmd.Flags().BoolVar(&list, "list", false, "list the behaviours")
	cmd.Flags().BoolVar(&asJSON, "json", false, "list them as JSON")
	cmd.Flags().StringVar(&tour, "tour", "stdio", "play the faults of this `TRANSPORT`: stdio or http")
	term.Complete(cmd, "tour", "stdio", "http")
	cmd.MarkFlagsMutuallyExclusive("http", "server", "list")
	_ = cmd.RegisterFlagCompletionFunc("server", completeBehaviours)
	return cmd
}

// serveHTTP serves over HTTP until it is interrupted, and prints the URL.
func serveHTTP(cmd *cobra.Command, addr string, args []string) error {
	b := demo.Names()[0]
	if len(args) == 1 {
		if err := knownBehaviour(args[0]); err != nil {
			return err
		}
		if b, _ = demo.Lookup(args[0]); !b.OverHTTP() {
			return term.Usage("wiretea demo "+b.Name+" plays it", "the behaviour %q is one of stdio", b.Name)
		}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return term.Usage("--http 127.0.0.1:0 takes a free port", "listening: %w", err)
	}
	base := "http://" + l.Addr().String()
	fmt.Fprintln(cmd.OutOrStdout(), base+demo.Endpoint)
	fmt.Fprintf(cmd.ErrOrStderr(), "%s for clients of 2024-11-05, %s/NAME%s for a behaviour of wiretea demo --list\n", base+demo.SSEEndpoint, base, demo.Endpoint)
	return demo.ServeHTTP(cmd.Context(), b.Name, l, cmd.ErrOrStderr())
}

func completeBehaviours(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, b := range demo.Names() {
		names = append(names, b.Name+"\t"+b.Title)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func knownBehaviour(name string) error {
	// Lookup knows also those that Names leaves out.
	if _, known := demo.Lookup(name); known {
		return nil
	}
	var known []string
	for _, b := range demo.Names() {
		known = append(known, b.Name)
	}
	return term.Usage(text.Nearest(name, known, "wiretea demo --list names them"), "unknown behaviour %q", name)
}

func listBehaviours(w io.Writer, asJSON bool) error {
	all := demo.Names()
	if asJSON {
		type behaviour struct {
			Name  string   `json:"name"`
			Title string   `json:"title"`
			Shows []string `json:"shows"`
			HTTP  bool     `json:"http,omitempty"`
			Check []string `json:"check,omitempty"`
		}
		list := []behaviour{}
		for _, b := range all {
			list = append(list, behaviour{b.Name, b.Title, knownRules(b.Shows), !b.OverStdio(), b.Check})
		}
		return json.NewEncoder(w).Encode(list)
	}
	var table text.Table
	for _, b := range all {
		over, title := "", b.Title
		if !b.OverStdio() {
			over = "http"
		}
		if b.Check != nil {
			title += " (wiretea check " + text.CommandLine(b.Check) + " finds it)"
		}
		table.Add(b.Name, over, title)
	}
	_, err := io.WriteString(w, table.String())
	return err
}

// knownRules are those of the ids that the catalogue has: the demo is ahead of it
// with some faults.
func knownRules(ids []string) []string {
	known := []string{}
	for _, id := range ids {
		if check.Lookup(id) != nil {
			known = append(known, id)
		}
	}
	return known
}

// playDemo plays scenes on the screen, or where there is none line by line.
func playDemo(cmd *cobra.Command, server *demoServer, scenes []demo.Scene, isPlain bool, theme string) error {
	if isPlain || display.FallsBack(cmd) {
		return playPlain(cmd, server, scenes)
	}
	code, err := showDemo(cmd.Context(), server, scenes, theme, cmd.OutOrStdout(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	return term.Silently(code)
}

// playPlain plays the scenes one after the other until ctx ends.
func playPlain(cmd *cobra.Command, server *demoServer, scenes []demo.Scene) error {
	for i, scene := range scenes {
		if cmd.Context().Err() != nil {
			return nil
		}
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		if err := playScene(cmd, server, scene); err != nil {
			return err
		}
	}
	if len(scenes) > 1 {
		fmt.Fprintf(cmd.OutOrStdout(), "\nNow your own server: wiretea run --plain -- CMD ARGS…\n")
	}
	return nil
}

// playScene runs one behaviour and prints its session. Its faults are the point, so
// they do not make the exit code.
func playScene(cmd *cobra.Command, server *demoServer, scene demo.Scene) error {
	argv, err := server.argv(scene.Name)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "── %s %s\n   %s\n\n", scene.Name, strings.Repeat("─", max(0, 74-len(scene.Name))), scene.Says)
	o := runOptions{
		Session: demoSession(argv),
		sends:   scene.Calls,
		pace:    scene.Pace,
		linger:  scene.Linger,
		quiet:   true,
	}
	if scene.Patience > 0 {
		o.Server.Limits.Timeout = scene.Patience
		o.Client.ProbeTimeout = min(scene.Patience, time.Second)
	}
	_, err = o.play(cmd.Context(), nil, out, cmd.ErrOrStderr())
	var failed *term.Failure
	switch {
	case cmd.Context().Err() == context.Canceled:
		return nil
	case errors.As(err, &failed) && failed.Code == term.ExitServer:
		fmt.Fprintf(out, "%v\n", err)
		return nil
	}
	return err
}

// showDemo plays scenes on the screen.
func showDemo(ctx context.Context, server *demoServer, scenes []demo.Scene, theme string, out, errw io.Writer) (int, error) {
	says := &display.Notices{}
	tour, err := newTour(server, scenes, says)
	if err != nil {
		return term.ExitUsage, err
	}
	defer context.AfterFunc(ctx, func() { _ = tour.Close(ctx) })()
	err = display.Show(ctx, screen.Options{Sources: []source.Source{tour.Session}, Tour: tour}, says, theme, tour.Run)
	return term.ExitFine, tour.Farewell(ctx, out, errw, err)
}

// NewTour begins the tour of the demo; says is told what the user should see.
func NewTour(says io.Writer) (*viewer.Tour, error) {
	server, err := newDemoServer(false)
	if err != nil {
		return nil, err
	}
	return newTour(server, demo.Tour(), says)
}

func newTour(server *demoServer, scenes []demo.Scene, says io.Writer) (*viewer.Tour, error) {
	argv, err := server.argv(scenes[0].Name)
	if err != nil {
		return nil, err
	}
	o := demoSession(argv)
	// Nobody waits longer than a few seconds for a fault.
	o.Server.Limits.Timeout = 5 * time.Second
	o.Client.ProbeTimeout = time.Second
	src, err := o.View("wiretea demo", false, nil, says)
	if err != nil {
		return nil, err
	}
	return viewer.NewTour(src, scenes, server.argv), nil
}

// demoSession is the session of a behaviour of the embedded server, which is not
// recorded.
func demoSession(argv []string) flags.Session {
	return flags.Session{
		Server: flags.Server{Argv: argv, Limits: session.DefaultLimits()},
		Record: flags.Record{Record: capture.Record{None: true}},
	}
}

// A demoServer is the embedded server: a process of our own for each behaviour, or in
// this one over HTTP.
type demoServer struct {
	self string
	http *demo.Server // http is nil for processes.
}

func newDemoServer(http bool) (s *demoServer, err error) {
	s = &demoServer{}
	if http {
		s.http, err = demo.Listen()
	} else if s.self, err = os.Executable(); err != nil {
		err = fmt.Errorf("finding our own binary: %w", err)
	}
	return s, err
}

// argv is the command line of a behaviour, or its URL.
func (s *demoServer) argv(name string) ([]string, error) {
	if s.http != nil {
		return []string{s.http.URL}, s.http.Serve(name)
	}
	return []string{s.self, "demo", "--server", name}, nil
}

func (s *demoServer) close() {
	if s.http != nil {
		s.http.Close()
	}
}
