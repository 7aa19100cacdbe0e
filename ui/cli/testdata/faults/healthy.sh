# wants: 
# args: --call echo
. "${0%/*}/prelude"
:
serve
