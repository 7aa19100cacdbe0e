# wants: stdout-not-json error server
# args: --era legacy --call echo --timeout tools/call=1s
# modern: same
. "${0%/*}/prelude"
on_call() { put "{'jsonrpc': '2.0', 'id': $id, 'result': {'content': []}}"; }
serve
