# wants: duplicate-response error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { result "$echoed"; result "$echoed"; }
serve
