# wants: missing-result-type error server
# args: --era modern --env ERA=modern --call echo
. "${0%/*}/prelude"
on_call() { result '{"content":[{"type":"text","text":"hi"}]}'; }
serve
