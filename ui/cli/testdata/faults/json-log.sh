# wants: json-not-message error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { put '{"level":30,"msg":"calling echo"}'; result "$echoed"; }
serve
