package export

import (
	"context"
	"encoding/json"
	"strings"

	"wiretea/session"
)

// peers are what both sides say of themselves: name and version.
type peers struct {
	client, server string
}

type info struct {
	Name, Version, Title string
}

func (i info) String() string { return strings.TrimSpace(i.Name + " " + i.Version) }

// handshakeRows is among how many rows the two sides say who they are.
const handshakeRows = 200

// peers reads the beginning of the session for them.
func (r *Recording) peers(ctx context.Context) (p peers, err error) {
	for i := range uint32(min(r.Snap.Len(), handshakeRows)) {
		row := r.Snap.Row(i)
		if row.Kind != session.RowRequest && row.Kind != session.RowResult || p.client != "" && p.server != "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return p, err
		}
		body, err := r.value(i)
		if err != nil {
			return p, err
		}
		var m struct {
			Params struct {
				ClientInfo info
				Meta       struct {
					ClientInfo info `json:"io.modelcontextprotocol/clientInfo"`
				} `json:"_meta"`
			}
			Result struct {
				ServerInfo info
				Meta       struct {
					ServerInfo info `json:"io.modelcontextprotocol/serverInfo"`
				} `json:"_meta"`
			}
		}
		_ = json.Unmarshal(body, &m) // What is not as it should be names nobody.
		for _, i := range []info{m.Params.ClientInfo, m.Params.Meta.ClientInfo} {
			if p.client == "" && row.Stream == session.C2S {
				p.client = i.String()
			}
		}
		for _, i := range []info{m.Result.ServerInfo, m.Result.Meta.ServerInfo} {
			if p.server == "" && row.Stream == session.S2C {
				p.server = i.String()
			}
		}
	}
	return p, nil
}
