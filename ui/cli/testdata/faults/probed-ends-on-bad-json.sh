# wants: ends-on-bad-json warning server
# args: --era legacy --probe
# modern: same
. "${0%/*}/prelude"
on_garbage() { exit 1; }
serve
