# wants: embedded-newline error server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_list() { printf '{\n  "jsonrpc": "2.0",\n  "id": %s,\n  "result": {\n    %s%s"tools": []\n  }\n}\n' "$id" "$stamp" "$cache"; }
serve
