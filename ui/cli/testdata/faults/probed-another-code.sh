# wants: wrong-unknown-method-error info server
# args: --era legacy --probe
# modern: same
. "${0%/*}/prelude"
on_other() { error -32602 'Invalid params'; }
serve
