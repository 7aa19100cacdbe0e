package flags

import (
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client/auth"
	client "wiretea/session/client/http"
	"wiretea/session/lazy"
	"wiretea/session/transport"
	trips "wiretea/session/transport/http"
	"wiretea/ui/cli/term"
)

// HTTP says how a server at a URL is reached.
type HTTP struct {
	headers  []string // headers are Name: value.
	fromEnv  []string // fromEnv are NAME=VAR.
	tokenEnv string
	tokenCmd string
	login    string
	loggedIn *auth.Login // loggedIn is nil before --login was carried out.
	mode     string
	cacert   string
	insecure bool
	proxy    string
	http1    bool
	resume   bool
	noResume bool
	given    http.Header // given are fields that no flag names.
	until    func() context.Context
	errw     func() io.Writer // errw is where the steps of a login go.
}

// WithHeader is what the flags say where none is given, with these header fields.
func WithHeader(h http.Header) HTTP { return HTTP{mode: "auto", resume: true, given: h} }

// Add adds the flags to a command.
func (o *HTTP) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.headers, "header", nil, "URL: send this header field, `'Name: value'`; repeatable")
	f.StringArrayVar(&o.fromEnv, "header-env", nil, "URL: send the header field NAME with the value of the variable VAR, `NAME=VAR`; repeatable")
	f.StringVar(&o.tokenEnv, "token-env", "", "URL: send the value of the variable `VAR` as bearer token")
	f.StringVar(&o.tokenCmd, "token-command", "", "URL: send what `CMD` prints as bearer token; run again when the token is refused (401)")
	f.StringVar(&o.mode, "transport", "auto", "URL: http (Streamable HTTP), sse (HTTP+SSE of 2024-11-05), or auto")
	o.AddConnection(cmd)
	f.BoolVar(&o.resume, "resume", true, "URL: ask for the rest of streams that break, with Last-Event-ID")
	f.BoolVar(&o.noResume, "no-resume", false, "URL: leave streams that break as they are")
	cmd.MarkFlagsMutuallyExclusive("resume", "no-resume")
	cmd.MarkFlagsMutuallyExclusive("token-env", "token-command")
	term.Complete(cmd, "transport", "auto", "http", "sse")
}

// AddConnection adds the flags about the connections to a URL.
func (o *HTTP) AddConnection(cmd *cobra.Command) {
	o.until = cmd.Context
	f := cmd.Flags()
	f.StringVar(&o.cacert, "cacert", "", "URL: trust the certificate authorities in `FILE` (PEM), besides the system's")
	f.BoolVar(&o.insecure, "insecure", false, "URL: do not verify the server's certificate")
	f.StringVar(&o.proxy, "proxy", "", "URL: connect through the proxy at `URL`; none = through none (default: HTTP_PROXY, HTTPS_PROXY, NO_PROXY)")
	f.BoolVar(&o.http1, "http1", false, "URL: do not speak HTTP/2")
	_ = cmd.MarkFlagFilename("cacert")
}

// urlForm matches a URL, of which the scheme may be written in capitals, or left out before a
// host and a port.
var urlForm = lazy.Regexp{Text: `^(?i:(http|ws)s?://|([\w.-]+|\[[\da-f:.]+\]):\d+([/?#]|$))`}

// IsURL reports whether a server's command line is a URL.
func IsURL(argv []string) bool { return len(argv) > 0 && urlForm.Get().MatchString(argv[0]) }

// ParseURL reads a URL for which IsURL is true. The error says nothing of what may be secret.
func ParseURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text) // What it says of a URL may hold a password.
	switch {
	case err != nil || u.Host == "":
		return nil, term.Usage("as in http://localhost:3000/mcp", "the URL cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, term.Usage("as in http://localhost:3000/mcp", "%s:// is not supported, only http:// and https://", u.Scheme)
	}
	return u, CheckPort(u)
}

// CheckPort refuses a URL with a port that there is not.
func CheckPort(u *url.URL) error {
	if _, err := strconv.ParseUint(cmp.Or(u.Port(), "80"), 10, 16); err != nil {
		return term.Usage("as in http://localhost:3000/mcp", "the port of the URL is %s, and ports end at 65535", u.Port())
	}
	return nil
}

// Place is a server's command line as it may be shown: of a URL without what may be
// secret.
func Place(argv []string) string {
	if IsURL(argv) {
		if u, err := ParseURL(argv[0]); err == nil {
			return client.Place(u)
		}
		return "the URL"
	}
	return strings.Join(argv, " ")
}

// Options are those of a server at the URL that argv is.
func (o *HTTP) Options(argv []string, grace transport.Grace) (opt client.Options, err error) {
	opt = client.Options{
		Mode: client.Mode(o.mode), UserAgent: "wiretea/" + recorder.Version, HTTP1: o.http1, NoResume: o.noResume || !o.resume, Grace: grace,
	}
	if len(argv) > 1 {
		return opt, term.Usage("quote the URL if it has spaces or & in it", "%q after the URL: it takes no arguments", argv[1])
	}
	if opt.URL, err = ParseURL(argv[0]); err != nil {
		return opt, err
	}
	if opt.Header, err = o.header(); err != nil {
		return opt, err
	}
	if opt.TLS, err = o.tls(); err != nil {
		return opt, err
	}
	if opt.Proxy, err = o.through(); err != nil {
		return opt, err
	}
	opt.Token, err = o.token(&opt)
	return opt, err
}

// Beside are the options for a session beside those of a proxy's clients. Its URL is the
// proxy's, of the session that h begins; nil means that it is not known yet.
func (o *HTTP) Beside(h *session.Header) (client.Options, error) {
	via := "http://localhost/"
	if h != nil && h.Via != "" {
		via = h.Via
	}
	return o.Options([]string{via}, transport.Grace{})
}

// Transport carries requests as the flags of AddConnection say.
func (o *HTTP) Transport() (*http.Transport, error) {
	config, err := o.tls()
	if err != nil {
		return nil, err
	}
	proxy, err := o.through()
	if err != nil {
		return nil, err
	}
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	return trips.NewTransport(config, proxy, o.http1), nil
}

// header are the fields of --header and --header-env. No error has a value.
func (o *HTTP) header() (http.Header, error) {
	h := http.Header{}
	maps.Copy(h, o.given)
	for _, line := range o.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, term.Usage("as in --header 'X-Api-Key: secret'", "--header wants Name: value")
		}
		if err := client.AddField(h, strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return nil, term.Usage("as in --header 'X-Api-Key: secret'", "--header: %w", err)
		}
	}
	for _, pair := range o.fromEnv {
		name, variable, ok := strings.Cut(pair, "=")
		value, set := os.LookupEnv(variable)
		if ok && !set {
			return nil, term.Usage("export it first", "--header-env %s: the variable %s is not set", name, variable)
		}
		if err := client.AddField(h, name, value); err != nil || !ok {
			return nil, term.Usage("as in --header-env X-Api-Key=API_KEY", "--header-env wants NAME=VAR, and a value on one line")
		}
	}
	return h, nil
}

// tls is the configuration that --cacert and --insecure ask for; nil = neither is given.
func (o *HTTP) tls() (*tls.Config, error) {
	if o.cacert == "" && !o.insecure {
		return nil, nil
	}
	cfg, err := waiting(o.until, func() (*tls.Config, error) { return client.Trusting(o.cacert, o.insecure) })
	if err != nil {
		return nil, term.Usage("--cacert FILE names a file of certificates in PEM", "--cacert: %w", err)
	}
	return cfg, nil
}

// token is where the bearer token of a server comes from; nil = there is none.
func (o *HTTP) token(server *client.Options) (func(ctx context.Context, refused string) (string, error), error) {
	switch value := os.Getenv(o.tokenEnv); {
	case o.login != "":
		return o.logIn(server)
	case o.tokenCmd != "":
		return client.CommandToken(o.tokenCmd), nil
	case o.tokenEnv == "":
		return nil, nil
	case value == "":
		return nil, term.Usage("export it first", "--token-env: the variable %s is not set", o.tokenEnv)
	default:
		return func(context.Context, string) (string, error) { return value, nil }, nil
	}
}

// through is the proxy that --proxy names; nil = that of the environment.
func (o *HTTP) through() (func(*http.Request) (*url.URL, error), error) {
	switch o.proxy {
	case "":
		return nil, nil
	case "none":
		return func(*http.Request) (*url.URL, error) { return nil, nil }, nil
	}
	to, err := url.Parse(o.proxy)
	if err != nil || to.Host == "" {
		return nil, term.Usage("as in --proxy http://localhost:8080", "--proxy is not a URL")
	}
	return http.ProxyURL(to), CheckPort(to)
}
