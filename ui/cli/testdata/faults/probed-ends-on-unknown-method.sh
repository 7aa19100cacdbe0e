# wants: server-exit-on-unknown-method error server
# args: --era legacy --probe
# modern: same
. "${0%/*}/prelude"
on_other() { exit 1; }
serve
