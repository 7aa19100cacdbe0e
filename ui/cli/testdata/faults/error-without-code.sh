# wants: error-shape error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { put "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":\"no\"}"; }
serve
