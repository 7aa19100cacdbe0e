# wants: unterminated-final-message warning server
# args: --era legacy --call echo
# modern: unterminated-final-message warning server, subscription-id-missing error server
. "${0%/*}/prelude"
on_end() { printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'; }
serve
