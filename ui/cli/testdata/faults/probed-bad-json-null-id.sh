# wants: 
# args: --era legacy --probe
# modern: same
# JSON-RPC 2.0 demands this answer to a line that cannot be read.
. "${0%/*}/prelude"
on_garbage() { put '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'; }
serve
