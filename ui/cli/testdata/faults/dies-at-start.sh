# wants: server-exited error server
# args: --era legacy
. "${0%/*}/prelude"
echo 'cannot find module foo' >&2; exit 1
serve
