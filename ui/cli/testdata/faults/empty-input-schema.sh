# wants: invalid-input-schema error server
# args: --era legacy
# modern: same
. "${0%/*}/prelude"
on_list() { result "{$stamp$cache\"tools\":[{\"name\":\"echo\",\"inputSchema\":{}}]}"; }
serve
