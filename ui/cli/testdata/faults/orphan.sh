# wants: orphan-response error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { result "$echoed"; id=999; result "$echoed"; }
serve
