package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A Catalogue is what a server offers.
type Catalogue struct {
	Tools, Prompts, Resources, Templates Section
}

// A Section is one of its lists.
type Section struct {
	Declared bool              // Declared says that the server declared it. What is not is not asked for.
	Items    []json.RawMessage // Items are verbatim, in the server's order; also those that came before an error.
	Pages    int               // Pages counts the requests that were answered.
	At       time.Time         // At is when the list was complete, or failed; zero = not asked for.

	// Err is why the list is not whole; see List. Servers with resources and no
	// templates often answer resources/templates/list with an *RPCError of the
	// code mcp.MethodNotFound.
	Err error

	method, changed string
}

// sections are the lists, what declares them and what says that they changed.
func (c *Catalogue) sections() []*Section {
	return []*Section{&c.Tools, &c.Prompts, &c.Resources, &c.Templates}
}

var sectionKinds = []struct{ capability, method, changed string }{
	{"tools", mcp.ToolsList, mcp.ToolsListChangedNotification},
	{"prompts", mcp.PromptsList, mcp.PromptsListChangedNotification},
	{"resources", mcp.ResourcesList, mcp.ResourcesListChangedNotification},
	{"resources", mcp.ResourcesTemplatesList, mcp.ResourcesListChangedNotification},
}

// Catalogue lists all that the server declared to offer. It has no error of its
// own: each section keeps what was got and what went wrong.
func (c *Client) Catalogue(ctx context.Context) Catalogue {
	all := c.emptyCatalogue()
	for _, s := range all.sections() {
		if s.Declared {
			c.fill(ctx, s)
		}
	}
	return all
}

// emptyCatalogue is a catalogue before anything was listed.
func (c *Client) emptyCatalogue() Catalogue {
	var all Catalogue
	server := c.Server()
	for i, s := range all.sections() {
		s.method, s.changed = sectionKinds[i].method, sectionKinds[i].changed
		s.Declared = server.Has(sectionKinds[i].capability)
	}
	return all
}

// fill lists one section. An error leaves what an earlier listing got only where
// nothing at all came now.
func (c *Client) fill(ctx context.Context, s *Section) {
	list, err := c.List(ctx, s.method)
	s.Err, s.At = err, time.Now()
	if err == nil || list.Pages > 0 {
		s.Items, s.Pages = list.Items, list.Pages
	}
}

// A refresh waits until no change has come for a while, and longer each time that a
// change follows a listing at once: some servers send one after each listing, and would
// be listed for ever.
const (
	refreshDelay    = 100 * time.Millisecond
	maxRefreshDelay = time.Minute
)

// FollowCatalogue lists what the server offers and gives it to got, and again whenever
// the server says that it has changed, until ctx or the connection ends; the error is
// the reason. got is called in FollowCatalogue's goroutine, with a Catalogue that is not
// changed afterwards.
//
// Changes within a short time are taken together. A server that answers each
// listing with another change is listed at ever longer intervals, up to a minute.
// A server that refuses the subscription to changes ends it with that error,
// after the first got.
func (c *Client) FollowCatalogue(ctx context.Context, got func(Catalogue)) error {
	return c.followLists(ctx, c.Catalogue, got)
}

// FollowChanges is FollowCatalogue for a catalogue that the caller has: got is first
// given an empty one, and later only the sections that have changed are filled.
func (c *Client) FollowChanges(ctx context.Context, got func(Catalogue)) error {
	return c.followLists(ctx, func(context.Context) Catalogue { return c.emptyCatalogue() }, got)
}

// followLists lists what the server offers, and again what of it changes.
func (c *Client) followLists(ctx context.Context, list func(context.Context) Catalogue, got func(Catalogue)) error {
	server := c.Server()
	modern := server.Era == mcp.Modern
	filter := Filter{
		Tools:     !modern || server.Has("tools.listChanged"),
		Prompts:   !modern || server.Has("prompts.listChanged"),
		Resources: !modern || server.Has("resources.listChanged"),
	}
	if modern && !filter.Tools && !filter.Prompts && !filter.Resources {
		got(list(ctx))
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.live.Done():
			return context.Cause(c.live)
		}
	}
	// What changes while we list must not be missed.
	sub, err := c.Listen(ctx, filter)
	if err != nil {
		got(list(ctx))
		return err
	}
	defer sub.Close(context.WithoutCancel(ctx))
	all := list(ctx)
	got(all)
	return c.refresh(ctx, sub, all, got)
}

// refresh lists the sections again that change.
func (c *Client) refresh(ctx context.Context, sub *Subscription, all Catalogue, got func(Catalogue)) error {
	rest := refreshDelay
	for {
		n, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		changed := []string{n.Method}
		if time.Since(all.latest()) < 2*rest {
			rest = min(2*rest, maxRefreshDelay)
		} else {
			rest = refreshDelay
		}
		if changed, err = collectChanges(ctx, sub, changed, rest); err != nil {
			return err
		}
		for _, s := range all.sections() {
			if s.Declared && slices.Contains(changed, s.changed) {
				c.fill(ctx, s)
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		got(all)
	}
}

// latest is when something was listed last.
func (c *Catalogue) latest() (at time.Time) {
	for _, s := range c.sections() {
		if s.At.After(at) {
			at = s.At
		}
	}
	return at
}

// collectChanges collects what else changes within a time.
func collectChanges(ctx context.Context, sub *Subscription, changed []string, rest time.Duration) ([]string, error) {
	resting, cancel := context.WithTimeout(ctx, rest)
	defer cancel()
	for {
		n, err := sub.Next(resting)
		switch {
		case err == nil:
			changed = append(slices.DeleteFunc(changed, func(m string) bool { return m == n.Method }), n.Method)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			return changed, nil
		default:
			return changed, err
		}
	}
}

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
			return all, fmt.Errorf("%s: %w: it is %s", method, ErrNoResult, jsonrpc.Described(reply.Result))
		}
		var items []json.RawMessage
		if err := json.Unmarshal(page[key], &items); err != nil {
			return all, fmt.Errorf("%s: %w: %s is %s", method, ErrNoResult, key, jsonrpc.Described(page[key]))
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
