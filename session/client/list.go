package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"wiretea/session/mcp"
)

// MaxPages is the most pages that List asks for.
const MaxPages = 1000

// maxListing is how long the pages of a list may be together, in bytes: List asks
// for no more of them then.
const maxListing = 64 << 20

// A Listing is what a list method gave, over all its pages.
type Listing struct {
	Items []json.RawMessage // Items are the tools, prompts, … verbatim, in the server's order.
	Pages int               // Pages counts the requests that were answered.
}

// List asks for all pages of a list. On an error the Listing holds what came
// before it: ErrCursorLoop, ErrPageLoop and ErrTooManyPages leave it usable.
func (c *Client) List(ctx context.Context, method string) (Listing, error) {
	var all Listing
	row, known := mcp.Lookup(method)
	if !known || row.Items == "" {
		return all, fmt.Errorf("%s is not a list method", method)
	}
	key := row.Items
	var params json.RawMessage
	seen, size := make(map[string]bool), 0
	pages := make(map[string]int) // pages counts how often the same items came.
	for all.Pages < MaxPages && size < maxListing {
		reply, err := c.Call(ctx, method, params)
		if err != nil {
			return all, err
		}
		all.Pages++
		size += len(reply.Result)
		var page map[string]json.RawMessage
		if err := json.Unmarshal(reply.Result, &page); err != nil {
			return all, fmt.Errorf("reading the result of %s: %w", method, err)
		}
		var items []json.RawMessage
		if err := json.Unmarshal(page[key], &items); err != nil {
			return all, fmt.Errorf("reading %s in the result of %s: %w", key, method, err)
		}
		all.Items = append(all.Items, items...)
		cursor := page["nextCursor"]
		if c.lastPage(cursor) {
			return all, nil
		}
		if seen[string(cursor)] {
			return all, fmt.Errorf("%s: %w: %.80s", method, ErrCursorLoop, cursor)
		}
		seen[string(cursor)] = true
		times := pages[string(page[key])]
		if len(items) > 1 && times > 0 || len(items) == 1 && times > 1 {
			return all, fmt.Errorf("%s: %w under another cursor: %.80s", method, ErrPageLoop, cursor)
		}
		pages[string(page[key])]++
		params = fmt.Appendf(nil, `{"cursor":%s}`, cursor)
	}
	return all, fmt.Errorf("%s: %w: stopped after %d", method, ErrTooManyPages, all.Pages)
}

// lastPage reports whether a nextCursor means the end. null is what sloppy
// servers write for "none"; the empty string is the same in the legacy era and a
// cursor like any other in the modern one ([V5] server/utilities/pagination).
func (c *Client) lastPage(cursor json.RawMessage) bool {
	switch {
	case len(cursor) == 0, bytes.Equal(cursor, []byte("null")):
		return true
	case string(cursor) == `""`:
		return c.Server().Era != mcp.Modern
	}
	return false
}
