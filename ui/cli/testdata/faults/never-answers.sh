# wants: unanswered-request warning server
# args: --era legacy --call echo --timeout tools/call=1s
# modern: same
. "${0%/*}/prelude"
on_call() { :; }
serve
