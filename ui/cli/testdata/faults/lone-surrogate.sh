# wants: lone-surrogate warning server
# args: --era legacy --call echo
# modern: same
. "${0%/*}/prelude"
on_call() { result "{$stamp\"content\":[{\"type\":\"text\",\"text\":\"\\ud800\"}]}"; }
serve
