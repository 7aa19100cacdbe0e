package composer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/peers"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/composer/arguments"
	"wiretea/ui/pane"
)

// An offer is something that a server offers, with the recipe to use it.
type offer struct {
	recipe recipe
	brief  string // brief is the beginning of what it says of itself.
}

// offerKinds are what servers list: the method, the member of its result, and how
// an item is used.
var offerKinds = []struct {
	list, member, capability string
	recipe                   func(item map[string]json.RawMessage) recipe
}{
	{"tools/list", "tools", "tools", func(item map[string]json.RawMessage) recipe {
		r := recipe{method: "tools/call", name: peers.Text(item["name"]), schema: item["inputSchema"], path: valuesAt("tools/call")}
		r.params = namedParams(r.name, nil)
		switch peers.Text(peers.Members(item["execution"])["taskSupport"]) {
		case "optional":
			r.task = pane.MayTask
		case "required":
			r.task = pane.MustTask
		}
		return r
	}},
	{"prompts/list", "prompts", "prompts", func(item map[string]json.RawMessage) recipe {
		r := recipe{method: "prompts/get", name: peers.Text(item["name"]), path: valuesAt("prompts/get")}
		r.params, r.schema = namedParams(r.name, nil), arguments.PromptSchema(item["arguments"])
		return r
	}},
	{"resources/templates/list", "resourceTemplates", "resources", func(item map[string]json.RawMessage) recipe {
		uri := peers.Text(item["uriTemplate"])
		return recipe{method: "resources/read", name: uri, uri: uri, schema: templateSchema(uri)}
	}},
	{"resources/list", "resources", "resources", func(item map[string]json.RawMessage) recipe {
		uri := peers.Text(item["uri"])
		return recipe{method: "resources/read", name: uri, params: uriParams(uri), schema: []byte(uriSchema)}
	}},
}

// Bounds of the search for what is offered.
const (
	offerRows  = 4 << 20 // rows that are looked at
	offerItems = 20_000
	offerBody  = 32 << 20        // bytes of an answer
	listLimit  = 5 * time.Second // for a listing that the composer asks for
)

// offersOf reads the items of a listing.
func offersOf(kind int, items []json.RawMessage) []offer {
	var list []offer
	for _, raw := range items[:min(len(items), offerItems)] {
		m := peers.Members(raw)
		if m == nil {
			continue
		}
		o := offer{recipe: offerKinds[kind].recipe(m)}
		if o.recipe.name == "" {
			continue
		}
		o.recipe.about = peers.Text(m["description"])
		o.brief = cmp.Or(o.recipe.about, peers.Text(m["title"]))
		list = append(list, o)
	}
	return list
}

// A stock is where to look for what is offered.
type stock struct {
	snap   *session.Snapshot
	log    recorder.Log
	client *client.Client // client lists what the session has not; nil = nobody does.
	mode   string         // mode is how the session was recorded.
}

func (c *Composer) stock() stock {
	s := stock{snap: c.tab.Ctx.Snap, log: c.tab.Ctx.Log, client: c.requests.Client()}
	if h := c.tab.Ctx.Header; h != nil {
		s.mode = h.Mode
	}
	return s
}

// look looks up what the session tells of a server that is not ours.
func (s *stock) look(ctx context.Context, f *facts) {
	conn := s.snap.LastConn()
	f.modern = conn != nil && conn.Era == mcp.Modern
	if f.ours || !f.modern {
		return
	}
	caps := s.declared(ctx)
	_, f.tasks = peers.Members(peers.Members(caps)["extensions"])[mcp.TasksExtension]
	f.decides, f.silent = f.tasks, caps == nil
}

// declared are the capabilities that the server declared last; nil where nobody
// has asked for them.
func (s *stock) declared(ctx context.Context) json.RawMessage {
	for i, looked := uint32(s.snap.Len()), 0; i > 0 && looked < offerRows && ctx.Err() == nil; looked++ {
		i--
		r := s.snap.Row(i)
		if method := s.snap.Name(r.Method); r.Kind != session.RowResult || r.Stream != session.S2C || method != "server/discover" && method != "initialize" {
			continue
		}
		if h := peers.New(); h.Add(s.log, s.snap, i) == nil && h.Server.Capabilities != nil {
			return h.Server.Capabilities
		}
	}
	return nil
}

// find returns what is offered for a method under a name; nil where there is no
// such thing.
func (s *stock) find(ctx context.Context, method, name string) *offer {
	lists := s.recorded(ctx)
	for kind := range offerKinds {
		if offerKinds[kind].recipe(nil).method != method {
			continue
		}
		if lists[kind] == nil {
			lists[kind] = s.ask(ctx, kind)
		}
		for i := range lists[kind] {
			if o := &lists[kind][i]; o.recipe.name == name && o.recipe.method == method {
				return o
			}
		}
	}
	return nil
}

// ask lists a kind at the server; nil where it cannot, or does not offer it.
func (s *stock) ask(ctx context.Context, kind int) []offer {
	if s.client == nil {
		return nil
	}
	if server := s.client.Server(); server.Era == mcp.UnknownEra || !server.Has(offerKinds[kind].capability) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	got, _ := s.client.List(ctx, offerKinds[kind].list) // what went wrong is in the traffic
	return offersOf(kind, got.Items)
}

// recorded is what was listed in the session, by kind: the latest listing, page by
// page from its end to its begin. A kind that was not listed is nil.
func (s *stock) recorded(ctx context.Context) [][]offer {
	lists, whole := make([][]offer, len(offerKinds)), make([]bool, len(offerKinds))
	for i, looked := uint32(s.snap.Len()), 0; i > 0 && looked < offerRows && ctx.Err() == nil; looked++ {
		i--
		r := s.snap.Row(i)
		if r.Kind != session.RowResult || r.Stream != session.S2C {
			continue
		}
		method, left := s.snap.Name(r.Method), 0
		for kind := range offerKinds {
			if !whole[kind] {
				left++
			}
			if whole[kind] || offerKinds[kind].list != method {
				continue
			}
			page, first, err := s.page(kind, i)
			if err != nil {
				continue
			}
			lists[kind] = append(page, lists[kind]...)
			whole[kind] = first || len(lists[kind]) >= offerItems
		}
		if left == 0 {
			break
		}
	}
	return lists
}

var errNoPage = errors.New("no page of a listing")

// page reads one answer of a listing, never nil, and whether it is the first one.
func (s *stock) page(kind int, row uint32) (list []offer, first bool, err error) {
	r := s.snap.Row(row)
	if int64(r.Len) > offerBody {
		return nil, false, errNoPage
	}
	body, err := recorder.ReadMessage(s.log, s.snap, row)
	if err != nil {
		return nil, false, err
	}
	result := peers.Members(peers.Members(body)["result"])
	items, ok := result[offerKinds[kind].member]
	if !ok {
		return nil, false, errNoPage
	}
	first = true
	if r.Pair != session.NoRow {
		if m, err := recorder.ReadRequest(s.log, s.snap, r.Pair); err == nil {
			first = peers.Text(peers.Members(m.Params)["cursor"]) == ""
		}
	}
	return append([]offer{}, offersOf(kind, peers.Elements(items))...), first, nil
}
