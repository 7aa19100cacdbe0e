# wants: stderr-has-protocol warning server, unanswered-request warning server
# args: --era legacy --call echo --timeout tools/call=1s
. "${0%/*}/prelude"
on_call() { result "$echoed" >&2; }
serve
