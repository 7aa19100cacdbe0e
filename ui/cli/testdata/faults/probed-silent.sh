# wants: probe-unanswered error server
# args: --era legacy --probe --timeout 2s
# modern: same
. "${0%/*}/prelude"
on_other() { :; }
serve
