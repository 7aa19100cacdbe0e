# wants: content-length-framing error server
# args: --era legacy
# modern: same
. "${0%/*}/prelude"
put() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
serve
