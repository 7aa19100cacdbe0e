# wants: unknown-method info server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { put '{"jsonrpc":"2.0","method":"codex/event","params":{}}'; result "$echoed"; }
serve
