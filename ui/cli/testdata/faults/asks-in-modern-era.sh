# wants: server-initiated-request error server
# args: --era modern --env ERA=modern --call echo
. "${0%/*}/prelude"
on_call() { put '{"jsonrpc":"2.0","id":"s1","method":"ping"}'; result "$echoed"; }
serve
