# wants: lone-surrogate warning server
# args: --era legacy --call echo
. "${0%/*}/prelude"
on_call() { result '{"content":[{"type":"text","text":"\ud800"}]}'; }
serve
