# wants: result-not-object error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { result '[]'; }
serve
