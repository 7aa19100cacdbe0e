# wants: server-silent-on-probe warning server
# args: --probe-timeout 300ms
. "${0%/*}/prelude"
on_discover() { :; }
serve
