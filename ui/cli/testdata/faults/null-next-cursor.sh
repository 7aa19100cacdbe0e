# wants: null-next-cursor error server
# args: --era legacy
# modern: same
. "${0%/*}/prelude"
on_list() { result "${tools%\}},\"nextCursor\":null}"; }
serve
