# wants: server-exited error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { echo "KeyError: 'DATABASE_URL'" >&2; exit 3; }
serve
