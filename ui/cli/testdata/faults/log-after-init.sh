# wants: stdout-not-json error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { put 'INFO: calling echo'; result "$echoed"; }
serve
