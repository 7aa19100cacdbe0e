package attach

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/session/path"
	"wiretea/session/text"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
)

// proxyOptions are the flags of proxy.
type proxyOptions struct {
	listen      string
	name        string
	secretPath  string
	allowOrigin []string
	keepHost    bool
	keepOrigin  bool
	tls         bool
	http        flags.HTTP
	record      flags.Record
	inPath      flags.InPath
}

// proxyMemory is from which size on the collector runs more often, in bytes: what may wait
// to be recorded, and the bodies of some requests, stay below it. Where they do not, the
// collector takes the CPUs that the recorder needs.
const proxyMemory = 80 << 20

// drainGrace is how long the requests under way may take at the end.
const drainGrace = 5 * time.Second

// NewProxy returns the command proxy.
func NewProxy() *cobra.Command {
	var o proxyOptions
	cmd := &cobra.Command{
		Use:   "proxy [flags] URL | NAME=URL…",
		Short: "sit between clients and their servers over HTTP, and record",
		Long: `Listens on this machine, forwards every request to the server at the URL, and records
requests, responses and event streams. Prints the URL that the client is to use in
place of the server's. wiretea attach shows the traffic live.

Nothing is changed on the way but the connection's own header fields and Host. Several
servers have a path each, their name, and a session file each.

The proxy refuses requests with a Host or an Origin that is not of this machine, because
any web page could send them; --allow-origin names those that may. Where other people
have accounts on the machine, the paths begin with a random segment.`,
		Example: `  wiretea proxy http://localhost:3000/mcp
  wiretea proxy --listen 127.0.0.1:8080 --name files https://example.com/mcp
  wiretea proxy --policy policy.toml http://localhost:3000/mcp
  wiretea proxy files=http://localhost:3000/mcp search=https://example.com/mcp`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "listen on `HOST:PORT`; port 0 is a free one")
	f.StringVar(&o.name, "name", "", "name of the server, used in the names of its session files")
	f.StringVar(&o.secretPath, "secret-path", "auto", "begin the paths with a random segment: on, off, or auto, which is on where the machine has several users")
	f.StringArrayVar(&o.allowOrigin, "allow-origin", nil, "let web pages of this `ORIGIN`, as in https://example.com, use the proxy; * = all; repeatable")
	f.BoolVar(&o.keepHost, "keep-host", false, "forward the client's Host, also a foreign one, to test the server's check of it")
	f.BoolVar(&o.keepOrigin, "keep-origin", false, "forward the client's Origin, also a foreign one, to test the server's check of it")
	f.BoolVar(&o.tls, "tls", false, "speak TLS to the client, with a certificate of this machine that it must be told to trust")
	f.Var((*flags.FileFlag)(&o.record.File), "record", "record the session to `FILE`, or to a free name beside it")
	o.inPath.Add(cmd)
	o.inPath.AddClientTimeout(cmd)
	o.http.AddConnection(cmd)
	o.record.AddFolder(cmd)
	term.Complete(cmd, "secret-path", "auto", "on", "off")
	return cmd
}

func (o *proxyOptions) run(ctx context.Context, args []string, out, errw io.Writer) error {
	cfg := capture.ProxyConfig{
		Listen: o.listen, AllowOrigin: o.allowOrigin, KeepHost: o.keepHost, KeepOrigin: o.keepOrigin,
		Record: o.record.Record, Errors: errw,
	}
	var err error
	if cfg.InPath, err = o.inPath.Read(path.HTTP); err != nil {
		return err
	}
	if cfg.Servers, err = proxyServers(args); err != nil {
		return err
	}
	if len(cfg.Servers) > 1 && (o.name != "" || o.record.File != "") {
		return term.Usage("name several servers as NAME=URL; each has a session file of its own", "--name and --record are for one server")
	}
	if len(cfg.Servers) == 1 && o.name != "" {
		cfg.Servers[0].Label = o.name
	}
	switch secret := o.secretPath; {
	case secret == "on", secret == "off":
		cfg.RandomPath = secret == "on"
	case secret == "auto":
		cfg.RandomPath = capture.SharedMachine()
	default:
		return term.Usage("--secret-path on, off or auto", "--secret-path %s", secret)
	}
	if cfg.Transport, err = o.http.Transport(); err != nil {
		return err
	}
	if o.tls {
		file, cert, err := capture.ProxyCertificate(o.listen)
		if err != nil {
			return err
		}
		cfg.Certificate = cert
		fmt.Fprintf(errw, "wiretea: the client must trust %s; Node.js: NODE_EXTRA_CA_CERTS=%s\n", term.Visible(file), text.ShellWord(file))
	}
	debug.SetMemoryLimit(proxyMemory)
	proxy, err := capture.StartProxy(cfg)
	if err != nil {
		return &term.Failure{Code: term.ExitUsage, Hint: "--listen 127.0.0.1:0 takes a free port", Err: fmt.Errorf("the proxy cannot listen: %w", err)}
	}
	for _, server := range cfg.Servers {
		line := proxy.URL(server.Name)
		if label := cmp.Or(server.Label, server.Name); label != "" && len(cfg.Servers) > 1 {
			line = term.Visible(label) + " " + line
		}
		fmt.Fprintln(out, line)
	}
	if proxy.Exposed() {
		fmt.Fprintf(errw, "wiretea: with --listen %s, everybody who can reach this machine can use the server\n", term.Visible(o.listen))
	}
	fmt.Fprintln(errw, "wiretea: recording; wiretea attach shows the traffic, ctrl-c ends the proxy")
	select {
	case <-ctx.Done():
		drain(ctx, proxy)
		err = proxy.Close("quit")
	case err = <-proxy.Failed():
		_ = proxy.Close("error")
	}
	o.record.Prune(errw)
	return err
}

// drain gives the requests under way drainGrace, until a second signal.
func drain(ctx context.Context, proxy *capture.Proxy) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainGrace)
	defer cancel()
	hurried, stop := signal.NotifyContext(limited, os.Interrupt, syscall.SIGTERM)
	defer stop()
	proxy.Drain(hurried)
}

// proxyServers are the servers that the arguments name.
func proxyServers(args []string) ([]capture.ProxyServer, error) {
	if len(args) == 0 {
		return nil, term.Usage("as in http://localhost:3000/mcp", "no URL given")
	}
	var servers []capture.ProxyServer
	for _, arg := range args {
		name, text, named := strings.Cut(arg, "=")
		if !named || strings.ContainsAny(name, ":/?") {
			name, text = "", arg
		}
		if !flags.IsURL([]string{text}) {
			return nil, term.Usage("as in http://localhost:3000/mcp or NAME=http://localhost:3000/mcp", "an argument is not a URL")
		}
		u, err := flags.ParseURL(text)
		if err != nil {
			return nil, err
		}
		if name == "" && len(args) > 1 {
			return nil, term.Usage("as in files=http://localhost:3000/mcp", "several servers need names: NAME=URL")
		}
		servers = append(servers, capture.ProxyServer{Name: name, URL: u})
	}
	return servers, nil
}
