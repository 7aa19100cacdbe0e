"""What a Python client does with messages whose members are wrong, of version 1 or 2
of the official SDK, whichever is installed.

    python members.py CASES

CASES and what is printed are those of members.mjs.
"""
import json
import logging
import sys

import anyio
import mcp
from mcp.shared.message import SessionMessage

try:
    import mcp_types as types  # version 2
except ImportError:
    from mcp import types

logging.disable(logging.CRITICAL)
V2 = hasattr(mcp, "Client")

with open(sys.argv[1], encoding="utf-8") as f:
    work = json.load(f)
healthy, cases = work["healthy"], work["cases"]


def read(line):
    if V2:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    return types.JSONRPCMessage.model_validate_json(line)


async def sampling(context, params):
    return types.CreateMessageResult(role="assistant", model="m", content=types.TextContent(type="text", text="a"))


async def elicitation(context, params):
    return types.ElicitResult(action="decline")


async def roots(context):
    return types.ListRootsResult(roots=[])


class Server:
    """Answers every request of a client, and gives what is wrong once."""

    def __init__(self, case, to_client, from_client):
        self.case, self.to_client, self.from_client = case, to_client, from_client
        self.refused, self.answered, self.rounds = None, anyio.Event(), 0
        self.unreadable = anyio.Event()

    async def say(self, line):
        try:
            message = read(line)
        except Exception as e:
            self.refused = self.refused or f"unreadable: {e}"
            self.unreadable.set()
            return
        await self.to_client.send(SessionMessage(message))

    async def run(self):
        async for sent in self.from_client:
            m = json.loads(sent.message.model_dump_json(by_alias=True, exclude_none=True))
            if "method" not in m:
                if "error" in m:
                    self.refused = self.refused or m["error"]["message"]
                self.answered.set()
            elif "id" in m:
                await self.reply(m)

    async def reply(self, m):
        era, method = self.case["era"], m["method"]
        again = False
        if method == "tools/call":
            again, self.rounds = self.rounds > 0, self.rounds + 1
        if self.case["kind"] == "result" and method == self.case["method"] and not again:
            result = self.case["text"]
        elif again:
            result = healthy[era]["done"]
        else:
            result = healthy[era].get(method, "{}")
        await self.say('{"jsonrpc":"2.0","id":%s,"result":%s}' % (json.dumps(m["id"]), result))


def call(client, method):
    return {
        "ping": lambda: client.send_ping(),
        "tools/list": lambda: client.list_tools(),
        "tools/call": lambda: client.call_tool("a", {}),
        "resources/list": lambda: client.list_resources(),
        "resources/templates/list": lambda: client.list_resource_templates(),
        "resources/read": lambda: client.read_resource("file:///a"),
        "resources/subscribe": lambda: client.subscribe_resource("file:///a"),
        "resources/unsubscribe": lambda: client.unsubscribe_resource("file:///a"),
        "logging/setLevel": lambda: client.set_logging_level("info"),
        "prompts/list": lambda: client.list_prompts(),
        "prompts/get": lambda: client.get_prompt("a"),
        "completion/complete": lambda: client.complete(
            types.PromptReference(type="ref/prompt", name="a"), {"name": "a", "value": ""}
        ),
    }.get(method)


class Streams:
    """A transport of version 2."""

    def __init__(self, read_stream, write_stream):
        self.streams = read_stream, write_stream

    async def __aenter__(self):
        return self.streams

    async def __aexit__(self, *_):
        return None


async def ask(client, server, heard):
    case = server.case
    if case["kind"] == "notification":
        await server.say('{"jsonrpc":"2.0","method":%s,"params":%s}' % (json.dumps(case["method"]), case["text"]))
        with anyio.move_on_after(0.02):
            await heard.wait()
        return None if heard.is_set() else server.refused or "not heard"
    if case["kind"] == "request":
        await server.say('{"jsonrpc":"2.0","id":1,"method":%s,"params":%s}' % (json.dumps(case["method"]), case["text"]))
        with anyio.move_on_after(2):
            if not server.unreadable.is_set():
                await server.answered.wait()
        return server.refused if server.answered.is_set() else server.refused or "no answer"
    if case["method"] in ("initialize", "server/discover"):
        return None
    request = call(client, case["method"])
    if request is None:
        return "not measured"
    await request()
    return server.refused


async def connect(server, to_server, from_server):
    heard = anyio.Event()

    async def message(incoming):
        if not isinstance(incoming, Exception):
            heard.set()

    answers = dict(sampling_callback=sampling, elicitation_callback=elicitation, list_roots_callback=roots, message_handler=message)
    if V2:
        mode = "2026-07-28" if server.case["era"] == "modern" else "legacy"
        if server.case["method"] == "server/discover":
            mode = "auto"
        async with mcp.Client(Streams(from_server, to_server), mode=mode, **answers) as client:
            return await ask(client, server, heard)
    async with mcp.ClientSession(from_server, to_server, **answers) as client:
        await client.initialize()
        return await ask(client, server, heard)


def leaf(e):
    while isinstance(e, BaseExceptionGroup):
        e = e.exceptions[0]
    return f"{type(e).__name__}: {e}"


async def measure(case):
    to_client, from_server = anyio.create_memory_object_stream(16)
    to_server, from_client = anyio.create_memory_object_stream(16)
    server = Server(case, to_client, from_client)
    found = []

    async def client():
        try:
            found.append(await connect(server, to_server, from_server))
        except Exception as e:
            found.append(leaf(e))
        group.cancel_scope.cancel()

    async def given_up():
        await server.unreadable.wait()
        group.cancel_scope.cancel()

    with anyio.move_on_after(20):
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(server.run)
                group.start_soon(given_up)
                group.start_soon(client)
        except BaseExceptionGroup as e:
            found.append(leaf(e))
    return found[0] if found else server.refused or "open"


async def main():
    out = []
    for case in cases:
        if case["era"] == "modern" and not V2:
            out.append("not measured")
            continue
        reason = await measure(case)
        out.append(reason[:80] if reason is not None else None)
    print(json.dumps(out))


anyio.run(main)
