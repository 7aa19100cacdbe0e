# wants: progress-unknown-token error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { put '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"made-up","progress":1}}'; result "$echoed"; }
serve
