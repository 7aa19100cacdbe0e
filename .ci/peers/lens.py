"""What a Python client does with the faults of a server: a Python column of
session/check/compat, of version 1 or 2 of the official SDK, whichever is installed.

    python lens.py CASES -- CMD ARGS...

CASES is a file of cases, {"fault", "in"}. For each of them the server CMD ARGS
FAULT is started, and asked for what the fault is in; what came of it is printed
on stdout, all as one JSON object.
"""
import importlib.metadata
import json
import logging
import os
import sys

import anyio
import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

logging.disable(logging.CRITICAL)
V2 = hasattr(mcp, "Client")
GRACE = 20  # seconds, for what perhaps never comes

file, _, command, *arguments = sys.argv[1:]
with open(file, encoding="utf-8") as f:
    cases = json.load(f)
results = {}


class Watch:
    """How a request stands."""

    def __init__(self):
        self.state, self.error, self.settled = "open", None, anyio.Event()

    async def run(self, request):
        try:
            await request()
            self.state = "kept"
        except Exception as e:
            self.state, self.error = "broken", f"{type(e).__name__}: {e}"
        finally:
            self.settled.set()


async def within(seconds, *watches):
    with anyio.move_on_after(seconds):
        for w in watches:
            await w.settled.wait()


async def ask(client, where, found):
    """Asks for what the fault is in, and then for something else."""
    call, after = Watch(), Watch()
    probe = where == "server/discover"

    async def wanted():
        await (client.call_tool("echo", {}) if where == "tools/call" else client.list_tools())

    async def later():
        await (client.list_tools() if probe else client.send_ping())

    async with anyio.create_task_group() as group:
        group.start_soon(call.run, wanted)
        group.start_soon(after.run, later)
        await within(GRACE, after)
        if after.state != "open":
            await within(2, call)
        found.update(call=call.state, alive=after.state == "kept", message=call.error or found["message"])
        group.cancel_scope.cancel()


async def session(case, found):
    async def message(incoming):
        if isinstance(incoming, Exception):
            found["errors"] += 1
            found["message"] = found["message"] or repr(incoming)

    server = StdioServerParameters(command=command, args=[*arguments, case["fault"]], env=dict(os.environ))
    if V2:
        mode = "auto" if case["in"] == "server/discover" else "legacy"
        async with mcp.Client(server, mode=mode, message_handler=message) as client:
            await ask(client, case["in"], found)
    else:
        async with stdio_client(server, errlog=open(os.devnull, "w")) as (read, write):
            async with mcp.ClientSession(read, write, message_handler=message) as client:
                await client.initialize()
                await ask(client, case["in"], found)


def leaves(e):
    return [leaf for sub in e.exceptions for leaf in leaves(sub)] if isinstance(e, BaseExceptionGroup) else [e]


async def measure(case, limiter):
    async with limiter:
        found = results[case["fault"]] = {"call": "broken", "alive": False, "errors": 0, "message": None}
        try:
            await session(case, found)
        except BaseExceptionGroup as e:
            found.update(escaped=True, message=found["message"] or repr(leaves(e)[0]))
        except Exception as e:
            found.update(escaped=True, message=found["message"] or repr(e))


async def main():
    limiter = anyio.CapacityLimiter(12)
    async with anyio.create_task_group() as group:
        for case in cases:
            group.start_soon(measure, case, limiter)
    print(json.dumps({"version": importlib.metadata.version("mcp"), "results": results}))


anyio.run(main)
