# wants: server-exited error server
# args: --era legacy --probe
# It counts messages: none of them is the reason.
. "${0%/*}/prelude"
on_list() { exit 1; }
on_other() { exit 1; }
on_ping() { exit 1; }
on_garbage() { exit 1; }
serve
