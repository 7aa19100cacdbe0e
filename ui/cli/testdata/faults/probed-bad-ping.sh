# wants: ping-bad-result warning server
# args: --era legacy --probe
. "${0%/*}/prelude"
on_ping() { error -32603 'no'; }
serve
