# wants: probe-unanswered error server
# args: --era legacy --probe
# Without an answer to ping, another request shows that it lives.
. "${0%/*}/prelude"
on_ping() { :; }
serve
