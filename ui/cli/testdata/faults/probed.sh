# wants: 
# args: --era legacy --probe
# modern: same
. "${0%/*}/prelude"
:
serve
