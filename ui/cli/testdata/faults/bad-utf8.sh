# wants: invalid-utf8 error server
# args: --era legacy --call echo
. "${0%/*}/prelude"
on_call() { printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"\377"}]}}\n' "$id"; }
serve
