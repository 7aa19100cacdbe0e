# wants: deaf-after-bad-json info server
# args: --era legacy --probe --timeout 2s
# modern: same
. "${0%/*}/prelude"
on_garbage() { while read -r line; do :; done; }
serve
