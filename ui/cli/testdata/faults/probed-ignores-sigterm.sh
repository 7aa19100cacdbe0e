# wants: server-ignores-sigterm warning server
# args: --era legacy --probe
. "${0%/*}/prelude"
trap '' TERM
serve
