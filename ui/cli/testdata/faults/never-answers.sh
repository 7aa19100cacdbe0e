# wants: unanswered-request warning server
# args: --era legacy --call echo --timeout 1s
. "${0%/*}/prelude"
on_call() { :; }
serve
