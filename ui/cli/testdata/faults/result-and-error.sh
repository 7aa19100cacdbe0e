# wants: result-and-error error server, call-failed error nobody
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { put "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$echoed,\"error\":{\"code\":-32603,\"message\":\"no\"}}"; }
serve
