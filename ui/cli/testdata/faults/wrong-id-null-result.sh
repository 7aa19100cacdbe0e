# wants: null-response-id error server, unanswered-request warning server
# args: --era legacy --call echo --timeout tools/call=1s
# modern: same
. "${0%/*}/prelude"
on_call() { put "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":$echoed}"; }
serve
