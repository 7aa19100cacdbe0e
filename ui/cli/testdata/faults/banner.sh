# wants: stdout-not-json error server
# args: --era legacy
# modern: same
. "${0%/*}/prelude"
put 'My Server v1.0 ready'
serve
