# wants: unknown-method-accepted warning server
# args: --era legacy --probe
. "${0%/*}/prelude"
on_other() { result '{}'; }
serve
