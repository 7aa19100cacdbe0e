# wants: missing-jsonrpc error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { put "{\"id\":$id,\"result\":$echoed}"; }
serve
