# wants: blank-line info server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { result "$echoed"; put ''; }
serve
