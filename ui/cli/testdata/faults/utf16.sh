# wants: invalid-utf8 error server
# args: --era legacy --call echo --timeout tools/call=1s
. "${0%/*}/prelude"
on_call() { put "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[]}}" | sed 's/./&\\000/g' | { IFS= read -r text; printf "$text\n"; }; }
serve
