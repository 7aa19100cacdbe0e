# wants: multiple-messages-per-line error server
# args: --era legacy --call echo
# modern: multiple-messages-per-line error server, subscription-id-missing error server
. "${0%/*}/prelude"
on_call() { printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'; result "$echoed"; }
serve
