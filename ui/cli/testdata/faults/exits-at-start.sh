# wants: server-exited error server
# args: --era both
exit 1
