# wants: duplicate-response error server
# args: --era legacy --call echo
. "${0%/*}/prelude"
on_call() { result "$echoed"; result "$echoed"; }
serve
