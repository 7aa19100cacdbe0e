package flags

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/session/client/auth"
	client "wiretea/session/client/http"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
	"wiretea/ui/outside"
)

// AddLogin adds the flag for a login by OAuth, in the place of a token.
func (o *HTTP) AddLogin(cmd *cobra.Command) {
	o.errw = cmd.ErrOrStderr
	cmd.Flags().StringVar(&o.login, "login", "", "URL: log in by OAuth in the browser: auto, or `HOW`, as in client=ID,secret-env=VAR,scope='a b',port=N, all optional")
	cmd.MarkFlagsMutuallyExclusive("login", "token-env", "token-command")
	term.Complete(cmd, "login", "auto")
}

// loginHint shows how --login is written.
const loginHint = "as in --login auto, or --login client=ID,secret-env=VAR,scope='read write',port=8090"

// loginOptions are what --login says.
func loginOptions(text string) (opt auth.Options, err error) {
	if text == "auto" {
		return opt, nil
	}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || value == "" {
			return opt, term.Usage(loginHint, "--login: %q is not KEY=VALUE", pair)
		}
		switch name {
		case "client":
			opt.Client = value
		case "secret-env":
			if opt.Secret = os.Getenv(value); opt.Secret == "" {
				return opt, term.Usage("export it first", "--login: the variable %s is not set", value)
			}
		case "scope":
			opt.Scope = value
		case "port":
			port, err := strconv.ParseUint(value, 10, 16)
			if err != nil || port == 0 {
				return opt, term.Usage(loginHint, "--login: %q is not a port", value)
			}
			opt.Port = int(port)
		default:
			return opt, term.Usage(loginHint, "--login: there is no %q", name)
		}
	}
	if opt.Secret != "" && opt.Client == "" {
		return opt, term.Usage(loginHint, "--login: a secret is that of a client")
	}
	return opt, nil
}

// logIn logs in at the server that opt names, once for all options, and returns what has the
// token.
func (o *HTTP) logIn(to *client.Options) (func(ctx context.Context, refused string) (string, error), error) {
	if o.loggedIn != nil {
		return o.loggedIn.Token, nil
	}
	opt, err := loginOptions(o.login)
	switch {
	case err != nil:
		return nil, err
	case to.URL.User != nil || to.Header.Get("Authorization") != "":
		return nil, term.Usage("leave one of them away", "--login and credentials of another kind")
	}
	transport, err := o.Transport()
	if err != nil {
		return nil, err
	}
	defer transport.CloseIdleConnections()
	say := func(text string) { fmt.Fprintf(o.errw(), "wiretea: %s\n", term.Visible(text)) }
	opt.Server, opt.Header, opt.Transport, opt.Say = to.URL, to.Header.Clone(), transport, say
	opt.Header.Set("User-Agent", to.UserAgent)
	opt.Open = func(url string, port int) {
		say(fmt.Sprintf("log in in the browser within %s: %s", text.Duration(int64(auth.PersonLimit)), url))
		if term.Getenv("SSH_CONNECTION") != "" {
			say(fmt.Sprintf("the browser comes back to port %d of this machine; from another one: ssh -L %d:127.0.0.1:%d", port, port, port))
		}
		if err := outside.Open(outside.Browser(), url); err != nil {
			say(err.Error() + "; open the URL yourself")
		}
	}
	l, err := auth.Begin(o.until(), opt)
	if err != nil {
		if refused, ok := errors.AsType[*auth.Error](err); ok {
			err = &term.Failure{Code: term.ExitServer, Hint: refused.Hint, Err: err}
		}
		return nil, err
	}
	o.loggedIn = l
	return l.Token, nil
}
