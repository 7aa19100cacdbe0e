# wants: invalid-utf8 error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { printf '{"jsonrpc":"2.0","id":%s,"result":{%s"content":[{"type":"text","text":"\377"}]}}\n' "$id" "$stamp"; }
serve
