# wants: ends-on-bad-json info server
# args: --era legacy --probe
# modern: same
. "${0%/*}/prelude"
on_garbage() { exit 1; }
serve
