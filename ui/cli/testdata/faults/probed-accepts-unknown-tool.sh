# wants: unknown-tool-accepted warning server, bad-params-accepted warning server
# args: --era legacy --probe
# modern: same
. "${0%/*}/prelude"
on_call() { result "$echoed"; }
serve
