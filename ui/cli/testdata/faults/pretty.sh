# wants: embedded-newline error server
# args: --era legacy --call echo
. "${0%/*}/prelude"
on_list() { printf '{\n  "jsonrpc": "2.0",\n  "id": %s,\n  "result": {\n    "tools": []\n  }\n}\n' "$id"; }
serve
