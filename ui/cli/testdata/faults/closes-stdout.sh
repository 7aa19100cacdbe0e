# wants: stdout-closed-while-running error server
# args: --era legacy
# Our end of stdin comes after the end of its stdout, and is not the reason.
. "${0%/*}/prelude"
on_list() { exec >&-; cat >/dev/null; exit 0; }
serve
