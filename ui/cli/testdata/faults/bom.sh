# wants: utf8-bom error server
# args: --era legacy
. "${0%/*}/prelude"
on_initialize() { printf '\357\273\277'; result "$hello"; }
serve
