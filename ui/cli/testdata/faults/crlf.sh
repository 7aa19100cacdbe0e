# wants: crlf-line-ending info server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
put() { printf '%s\r\n' "$1"; }
serve
