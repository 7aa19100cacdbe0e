package client

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// SetLogLevel asks for log messages of that level and above: from now on, by
// logging/setLevel, in the legacy era; with each request that follows, in the
// modern era, where the empty level asks for none any more.
//
// Errors are those of Call, and an unknown level.
func (c *Client) SetLogLevel(ctx context.Context, level string) error {
	modern := c.Server().Era == mcp.Modern
	if !slices.Contains(mcp.LogLevels, level) && !(modern && level == "") {
		return fmt.Errorf("%q is not a log level: it is one of %s", level, strings.Join(mcp.LogLevels, ", "))
	}
	if modern {
		c.mu.Lock()
		c.logLevel = level
		c.mu.Unlock()
		return nil
	}
	_, err := c.Call(ctx, mcp.LoggingSetLevel, fmt.Appendf(nil, `{"level":%s}`, lex.Quote(level)))
	return err
}
