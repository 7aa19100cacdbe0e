package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// The error codes of modern servers: the headers do not say what the body says; and the
// version is refused, the last one being the release candidate's.
const (
	codeHeaderMismatch       = -32020
	codeUnsupportedVersion   = -32022
	codeUnsupportedVersionRC = -32004
)

// Handshake finds the era and the version to speak, as Config.Era says. Where it
// fails the client stays usable for what the user sends by hand, in the era that
// was tried last.
//
// Errors: ErrExitedOnProbe, *VersionError, *RPCError, *TimeoutError,
// *ClosedError, the cause of ctx.
func (c *Client) Handshake(ctx context.Context) error {
	switch era, version := c.choice(); era {
	case Legacy:
		return c.initialize(ctx, version)
	case Modern:
		c.setServer(Server{Era: mcp.Modern, Version: version})
		_, err := c.discover(ctx, version, c.cfg.timeout(mcp.ServerDiscover))
		return named(mcp.ServerDiscover, err)
	default:
		return c.probe(ctx, version)
	}
}

// choice returns the era and the version that the configuration asks for.
func (c *Client) choice() (EraChoice, string) {
	era, version := c.cfg.Era, c.cfg.ProtocolVersion
	if era == Auto && version != "" {
		if v, ok := mcp.ParseVersion(version); ok && v.Era() == mcp.Modern {
			era = Modern
		} else if ok {
			era = Legacy
		}
	}
	if version == "" {
		version = mcp.LatestModern.String()
		if era == Legacy {
			version = mcp.LatestLegacy.String()
		}
	}
	return era, version
}

// probe asks with server/discover and falls back: [V5] basic/transports/stdio
// §Backward Compatibility. A modern error settles the era; any other, or
// silence, means legacy.
func (c *Client) probe(ctx context.Context, version string) error {
	limit := c.cfg.ProbeTimeout
	if own := c.cfg.timeout(mcp.ServerDiscover); own > 0 {
		limit = min(limit, own)
	}
	modern, err := c.discover(ctx, version, limit)
	switch overHTTP := errors.As(err, new(*HTTPError)); {
	case err == nil, modern:
		return err
	case !overHTTP && errors.Is(err, ErrClosed):
		return fmt.Errorf("%w: %w", ErrExitedOnProbe, err)
	case ctx.Err() != nil:
		return err
	case NotModern(err), !overHTTP && errors.Is(err, ErrTimeout):
		var version *VersionError
		garbage := errors.Is(err, ErrNoResult) || errors.As(err, &version) && !slices.ContainsFunc(version.Offered, isVersion)
		failed := c.initialize(ctx, mcp.LatestLegacy.String())
		if garbage && errors.As(failed, new(*RPCError)) {
			return named(mcp.ServerDiscover, err) // The server knows that request only, so that its answer is the reason.
		}
		return failed
	}
	return err
}

// NotModern reports whether err, of a handshake in the modern era, is what servers answer
// that do not know this era. Silence may mean that too.
func NotModern(err error) bool {
	var rpc *RPCError
	var answer *HTTPError
	var version *VersionError
	switch {
	case errors.As(err, &version):
		return len(modernOnly(version.Offered)) == 0
	case errors.As(err, &rpc) && rpc.Code == codeHeaderMismatch:
		return false
	case errors.As(err, &answer):
		return answer.oldServer()
	}
	return rpc != nil || errors.Is(err, ErrNoResult)
}

// discover asks a modern server what it is. It reports whether the server has
// shown to be modern, which it may have done by an error. Each request may take limit.
func (c *Client) discover(ctx context.Context, version string, limit time.Duration) (modern bool, err error) {
	for again := false; ; again = true {
		reply, err := c.single(ctx, mcp.ServerDiscover, stamp(nil, c.meta(version, false)), limit)
		if err == nil {
			readable, err := c.discovered(reply.Result, version)
			return modern || readable, err
		}
		var rpc *RPCError
		if !errors.As(err, &rpc) {
			return modern, err
		}
		offered := modernOnly(refusedVersions(rpc))
		if len(offered) == 0 {
			return modern, err
		}
		modern = true
		next := best(offered) // perhaps the same: a refusal may pass
		if again {
			return modern, &VersionError{Asked: version, Offered: offered}
		}
		version = next
		c.setServer(Server{Era: mcp.Modern, Version: version})
	}
}

// discovered takes in a DiscoverResult.
func (c *Client) discovered(result json.RawMessage, version string) (modern bool, err error) {
	var r struct {
		Supported    []string        `json:"supportedVersions"`
		Capabilities json.RawMessage `json:"capabilities"`
		Instructions string          `json:"instructions"`
		ServerInfo   serverInfo      `json:"serverInfo"` // the release candidate's place
		Meta         struct {
			ServerInfo serverInfo `json:"io.modelcontextprotocol/serverInfo"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return false, fmt.Errorf("%w: %s", ErrNoResult, whyUnreadable(err))
	}
	if len(r.Supported) == 0 {
		return false, fmt.Errorf("%w: no supportedVersions", ErrNoResult)
	}
	if !slices.Contains(r.Supported, version) {
		offered := modernOnly(r.Supported)
		if len(offered) == 0 {
			return false, &VersionError{Asked: version, Offered: r.Supported}
		}
		version = best(offered)
	}
	info := r.Meta.ServerInfo
	if info == (serverInfo{}) {
		info = r.ServerInfo
	}
	c.setServer(Server{
		Era: mcp.Modern, Version: version, Name: info.Name, Title: info.Title, Build: info.Version,
		Capabilities: r.Capabilities, Instructions: r.Instructions, Supported: r.Supported,
	})
	return true, nil
}

// initialize performs the legacy handshake: [V4] basic/lifecycle §Initialization.
func (c *Client) initialize(ctx context.Context, version string) error {
	c.setServer(Server{Era: mcp.Legacy, Version: version})
	params := fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":%s,"clientInfo":%s}`, lex.Quote(version), c.capabilities(version, false), c.info())
	reply, err := c.single(ctx, mcp.Initialize, params, c.cfg.timeout(mcp.Initialize))
	if err != nil {
		return named(mcp.Initialize, err)
	}
	var r struct {
		Version      string          `json:"protocolVersion"`
		Capabilities json.RawMessage `json:"capabilities"`
		ServerInfo   serverInfo      `json:"serverInfo"`
		Instructions string          `json:"instructions"`
	}
	if err := json.Unmarshal(reply.Result, &r); err != nil {
		return fmt.Errorf("initialize: %w: %s", ErrNoResult, whyUnreadable(err))
	}
	// A counter-offer is as good as what was asked for, if it is a version of
	// this era; what was asked for is always good.
	if v, ok := mcp.ParseVersion(r.Version); r.Version != version && (!ok || v.Era() != mcp.Legacy) {
		return fmt.Errorf("initialize: %w", &VersionError{Asked: version, Offered: []string{r.Version}})
	}
	c.setServer(Server{
		Era: mcp.Legacy, Version: r.Version, Name: r.ServerInfo.Name, Title: r.ServerInfo.Title, Build: r.ServerInfo.Version,
		Capabilities: r.Capabilities, Instructions: r.Instructions,
	})
	return c.Notify(ctx, mcp.InitializedNotification, nil)
}

// named says of which request of the handshake an error is, unless that says it. A nil
// error stays nil.
func named(method string, err error) error {
	if err == nil || errors.Is(err, ErrTimeout) {
		return err
	}
	return fmt.Errorf("%s: %w", method, err)
}

// whyUnreadable words what json.Unmarshal says without the names of our types.
func whyUnreadable(err error) string {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return err.Error()
	case wrong.Field == "":
		return "it is of the type " + wrong.Value + ", not an object"
	}
	return wrong.Field + " is of the wrong type, " + wrong.Value
}

type serverInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

func (c *Client) setServer(s Server) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server = s
}

// refusedVersions returns the versions that an error lists as supported, if it
// is the error that refuses a version.
func refusedVersions(e *RPCError) []string {
	if e.Code != codeUnsupportedVersion && e.Code != codeUnsupportedVersionRC {
		return nil
	}
	var data struct {
		Supported []string `json:"supported"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return nil
	}
	return data.Supported
}

// OffersModern reports whether the result of server/discover names a modern version.
func OffersModern(discovered json.RawMessage) bool {
	var versions []string
	err := json.Unmarshal(lex.Get(discovered, "supportedVersions"), &versions)
	return err == nil && len(modernOnly(versions)) > 0
}

// modernOnly returns the modern ones of versions. One that this program does not
// know yet is modern if it is a later date.
func modernOnly(versions []string) []string {
	var modern []string
	for _, v := range versions {
		if _, err := time.Parse(time.DateOnly, v); err == nil && v >= mcp.V5.String() {
			modern = append(modern, v)
		}
	}
	return modern
}

// best returns the latest of versions that this program knows, else the latest.
func best(versions []string) string {
	known := slices.DeleteFunc(slices.Clone(versions), func(v string) bool { return !isVersion(v) })
	if len(known) > 0 {
		return slices.Max(known)
	}
	return slices.Max(versions)
}

func isVersion(v string) bool {
	_, known := mcp.ParseVersion(v)
	return known
}
