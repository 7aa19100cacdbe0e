# wants: server-exit-on-probe error server
# args: 
. "${0%/*}/prelude"
on_discover() { exit 1; }
serve
