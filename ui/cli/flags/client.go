package flags

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/atomicfile"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/cli/term"
)

// Client says how we behave as a client.
type Client struct {
	Era             string // Era is auto, legacy or modern; empty means auto.
	BothEras        bool   // BothEras: --era takes both too, which the command replaces before Config.
	ProtocolVersion string // ProtocolVersion is asked for; empty means the latest of the era.
	Roots           []string
	Framing         string // Framing is one of client.FramingWords; empty means auto.
	ProbeTimeout    time.Duration
	Identity        Identity
	LogLevel        string // LogLevel asks for log messages of that level and above; empty leaves it to the server.

	// Human answers on the screen where the words of Identity, or --root, say ask; nil means
	// that there is no screen.
	Human client.Asker

	// Notes takes a line when the server first asks for its roots and has the current folder,
	// without --root. nil = no roots are declared without it.
	Notes io.Writer
}

// Add adds all flags but --log-level to a command. The help says what unset flags about the
// server's questions mean there.
func (o *Client) Add(cmd *cobra.Command, unset string) {
	f, asked := cmd.Flags(), ""
	if strings.HasPrefix(unset, "ask") {
		asked = "ask = you are asked, "
	}
	f.StringVar(&o.Era, "era", "auto", "handshake: auto (probe, then fall back), legacy or modern")
	f.StringVar(&o.ProtocolVersion, "protocol-version", "", "protocol version to request, as in 2025-06-18; an unpublished one needs --era (default: the latest of the era)")
	f.StringArrayVar(&o.Roots, "root", nil, "`FOLDER` to return to a server that requests roots; repeatable; "+asked+"none = not declared (default: "+strings.Replace(unset, "ask", "the current folder", 1)+")")
	f.StringVar(&o.Framing, "framing", "auto", "framing of messages: ndjson, content-length as in LSP, or auto (lines, and content-length where the server answers nothing else)")
	f.DurationVar(&o.ProbeTimeout, "probe-timeout", client.DefaultProbeTimeout, "how long --era auto waits for the answer to its probe")
	o.Identity.add(cmd, unset)
	term.Complete(cmd, "era", o.eras()...)
	term.Complete(cmd, "framing", client.FramingWords...)
	term.Complete(cmd, "protocol-version", publishedVersions()...)
}

// AddLogLevel adds --log-level.
func (o *Client) AddLogLevel(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.LogLevel, "log-level", "", "ask the server for log messages of this `LEVEL` and above: "+strings.Join(mcp.LogLevels, ", "))
	term.Complete(cmd, "log-level", mcp.LogLevels...)
}

// CheckLogLevel refuses an unknown level.
func (o *Client) CheckLogLevel() error {
	if o.LogLevel == "" || slices.Contains(mcp.LogLevels, o.LogLevel) {
		return nil
	}
	return term.Usage(fmt.Sprintf("it is one of %s", strings.Join(mcp.LogLevels, ", ")), "unknown log level %q", o.LogLevel)
}

// AskOnScreen has asker, a person at the screen, answer the server's questions where no flag
// says otherwise. The root is the current folder, which notes says when it is asked for.
func (o *Client) AskOnScreen(asker client.Asker, notes io.Writer) {
	o.Human, o.Notes = asker, notes
	for _, word := range []*string{&o.Identity.Sampling, &o.Identity.Elicitation} {
		*word = cmp.Or(*word, "ask")
	}
}

// Config returns the configuration of a client with the timeouts of limits.
func (o *Client) Config(limits session.Limits) (client.Config, error) {
	era, ok := client.ParseEra(o.Era)
	if o.Era != "" && !ok {
		return client.Config{}, term.Usage("it is "+strings.Join(o.eras(), ", "), "unknown era %q", o.Era)
	}
	framing, ok := client.ParseFraming(o.Framing)
	if o.Framing != "" && !ok {
		return client.Config{}, term.Usage("it is "+strings.Join(client.FramingWords, ", "), "unknown framing %q", o.Framing)
	}
	if v := o.ProtocolVersion; v != "" && era == client.Auto && !slices.Contains(publishedVersions(), v) {
		return client.Config{}, term.Usage("published ones are "+strings.Join(publishedVersions(), ", ")+"; with --era legacy or --era modern any other can be requested", "unknown protocol version %q", v)
	}
	cfg := client.Config{
		Era: era, ProtocolVersion: o.ProtocolVersion, Name: "wiretea", Version: recorder.Version,
		Timeout: timeouts(limits), ProbeTimeout: o.ProbeTimeout, Framing: framing,
	}
	if err := o.chooseRoots(&cfg); err != nil {
		return client.Config{}, err
	}
	return cfg, o.Identity.Apply(&cfg, o.Human)
}

// chooseRoots sets how roots/list is answered: by the folders given, by a person, by the
// current folder, or not at all.
func (o *Client) chooseRoots(cfg *client.Config) error {
	switch {
	case slices.Equal(o.Roots, []string{"none"}):
	case slices.Equal(o.Roots, []string{"ask"}):
		if o.Human == nil {
			return term.Usage("name the folders: --root FOLDER", "--root ask: there is no screen to ask you on")
		}
		cfg.AskRoots = o.Human
	case len(o.Roots) == 0 && o.Notes != nil:
		folder := wholePath(".")
		answer, err := client.RootsAnswer([]string{folder})
		if err != nil {
			return err
		}
		var once sync.Once
		cfg.AskRoots = client.AskerFunc(func(context.Context, client.Question) client.Answer {
			once.Do(func() {
				fmt.Fprintf(o.Notes, "the server asked for roots and got the current folder, %s; --root FOLDER or --root ask changes that\n", folder)
			})
			return answer
		})
	default:
		cfg.Roots = o.Roots
	}
	return nil
}

// timeouts returns the limit of each method. Methods that wait for people have none
// unless it was set.
func timeouts(limits session.Limits) func(method string) time.Duration {
	return func(method string) time.Duration {
		if _, set := limits.Timeouts[method]; !set {
			if m, known := mcp.Lookup(method); known && m.Unbounded {
				return client.NoTimeout
			}
		}
		return limits.For(method)
	}
}

func publishedVersions() []string {
	var all []string
	for v := mcp.V1; v <= mcp.LatestModern; v++ {
		all = append(all, v.String())
	}
	return all
}

// eras are the words of --era.
func (o *Client) eras() []string {
	words := []string{"auto", "legacy", "modern"}
	if o.BothEras {
		words = append(words, "both")
	}
	return words
}

// Identity says what we tell the server about ourselves, and how we answer its
// requests.
type Identity struct {
	Info         string // Info is clientInfo: NAME, NAME/VERSION or a JSON object; empty = wiretea's.
	Capabilities string // Capabilities is a JSON object; empty = what is true.
	Sampling     string // Sampling and Elicitation are words of client.SetSampling and SetElicitation.
	Elicitation  string

	// Until gives the context that ends the wait for a file of answers that is a pipe; nil =
	// nothing does.
	Until func() context.Context
}

// add adds the flags to a command, whose unset ones mean that.
func (o *Identity) add(cmd *cobra.Command, unset string) {
	o.Until = cmd.Context
	f, ask := cmd.Flags(), []string(nil)
	if strings.HasPrefix(unset, "ask") {
		ask = []string{"ask"}
	}
	by := strings.Join(append(ask, ""), ", ")
	f.StringVar(&o.Info, "client-info", "", "clientInfo to send: `NAME[/VERSION]`, or a JSON object")
	f.StringVar(&o.Capabilities, "capabilities", "", "client capabilities to send, a `JSON` object (default: those that the flags below provide)")
	f.StringVar(&o.Sampling, "sampling", "", "answer sampling by "+by+"decline, text:WORDS, or a `FILE` of answers; none = not declared (default: "+strings.Replace(unset, "ask", "the current folder", 1)+")")
	f.StringVar(&o.Elicitation, "elicitation", "", "answer elicitation by "+by+"accept, decline, or a `FILE` of answers; none = not declared (default: "+strings.Replace(unset, "ask", "the current folder", 1)+")")
	words := func(fixed ...string) cobra.CompletionFunc {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return fixed, cobra.ShellCompDirectiveDefault
		}
	}
	_ = cmd.RegisterFlagCompletionFunc("sampling", words(append(ask, "decline", "text:")...))
	_ = cmd.RegisterFlagCompletionFunc("elicitation", words(append(ask, "accept", "decline")...))
}

// Apply puts the flags into a client's configuration. human is asked where the
// word is ask; nil = nobody is there.
func (o *Identity) Apply(cfg *client.Config, human client.Asker) error {
	switch {
	case strings.HasPrefix(o.Info, "{"):
		cfg.ClientInfo = json.RawMessage(o.Info)
		if !json.Valid(cfg.ClientInfo) {
			return term.Usage(`--client-info '{"name":"claude-ai","version":"0.1.0"}'`, "--client-info is not JSON: %q", o.Info)
		}
	case o.Info != "":
		name, build, given := strings.Cut(o.Info, "/")
		cfg.Name = name
		if given {
			cfg.Version = build
		}
	}
	if o.Capabilities != "" {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(o.Capabilities), &object); err != nil || object == nil {
			return term.Usage(`--capabilities '{"roots":{}}'`, "--capabilities is not a JSON object: %q", o.Capabilities)
		}
		cfg.Capabilities = json.RawMessage(o.Capabilities)
	}
	if err := o.set(cfg, func(c *client.Config) error { return c.SetSampling(o.Sampling, human) }); err != nil {
		return term.Usage(`decline, text:WORDS, or a file of answers, as in [{"method":"sampling","text":"Sunny."}]`, "%w", err)
	}
	if err := o.set(cfg, func(c *client.Config) error { return c.SetElicitation(o.Elicitation, human) }); err != nil {
		return term.Usage(`accept, decline, or a file of answers, as in [{"method":"elicitation","accept":{"name":"Ada"}}]`, "%w", err)
	}
	return nil
}

// set has f set something of cfg, which may read a file. A wait for one that was given up
// changes nothing any more.
func (o *Identity) set(cfg *client.Config, f func(*client.Config) error) error {
	own := *cfg
	changed, err := waiting(o.Until, func() (client.Config, error) {
		err := f(&own)
		return own, err
	})
	if err == nil {
		*cfg = changed
	}
	return err
}

// waiting reads a file that a flag names, which may be a pipe, until a context ends; nil =
// there is none.
func waiting[T any](until func() context.Context, read func() (T, error)) (T, error) {
	if until == nil || until() == nil {
		return read()
	}
	return atomicfile.Within(until(), read)
}
