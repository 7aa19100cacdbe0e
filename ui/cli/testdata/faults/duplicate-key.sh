# wants: duplicate-json-key warning server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { put "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{$stamp\"content\":[],\"content\":[]}}"; }
serve
