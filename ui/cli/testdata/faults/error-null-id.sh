# wants: null-response-id warning server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { put '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"busy"}}'; result "$echoed"; }
serve
