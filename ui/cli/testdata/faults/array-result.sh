# wants: result-not-object error server
# args: --era legacy --call echo
. "${0%/*}/prelude"
on_call() { result '[]'; }
serve
