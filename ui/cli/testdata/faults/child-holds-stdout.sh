# wants: server-exited error server, orphan-descendants warning server
# args: --era legacy
. "${0%/*}/prelude"
on_list() { echo 'fatal: license expired' >&2; sleep 20 </dev/null 2>/dev/null & exit 4; }
serve
