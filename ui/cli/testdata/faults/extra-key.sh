# wants: unknown-top-level-key warning server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { put "{\"jsonrpc\":\"2.0\",\"type\":\"response\",\"id\":$id,\"result\":$echoed}"; }
serve
