# wants: response-to-notification error server
# args: --era legacy
. "${0%/*}/prelude"
on_initialized() { put '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}'; }
serve
