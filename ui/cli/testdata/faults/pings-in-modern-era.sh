# wants: server-initiated-request error server
# args: --era modern --env ERA=modern --probe
# Nobody may answer the ping, and its id is used again.
. "${0%/*}/prelude"
on_list() { put '{"jsonrpc":"2.0","id":"s","method":"ping"}'; put '{"jsonrpc":"2.0","id":"s","method":"ping"}'; result "$tools"; }
serve
