# wants: missing-cache-hints error server
# args: --era modern --env ERA=modern
. "${0%/*}/prelude"
on_list() { result "{$stamp\"tools\":[]}"; }
serve
