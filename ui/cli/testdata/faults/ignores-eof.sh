# wants: server-ignores-eof warning server
# args: --era legacy --shutdown-grace 2500ms
. "${0%/*}/prelude"
on_end() { exec sleep 30; }
serve
