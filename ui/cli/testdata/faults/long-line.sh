# wants: line-too-long error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() {
  printf '{"jsonrpc":"2.0","id":%s,"result":{%s"content":[{"type":"text","text":"' "$id" "$stamp"
  head -c 11534336 /dev/zero | tr '\0' x
  put '"}]}}'
}
serve
