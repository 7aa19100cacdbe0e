"""A client with the official Python SDK, version 1 or 2, whichever is installed.

    python client.py ERA PLAN -- CMD ARGS... | URL

starts the server CMD, or connects to the URL, of the old HTTP+SSE if its path is /sse, does what the file PLAN says, closes, and prints all
answers on stdout as one JSON object. Version 2 speaks the era that it is told:
legacy, or auto, which asks the server first.
"""
import json
import os
import sys
import time
from contextlib import asynccontextmanager

import anyio
import mcp
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

try:
    import mcp_types as types  # version 2
except ImportError:
    from mcp import types

V2 = hasattr(mcp, "Client")
PATIENCE = 60  # seconds, for what must come

era, plan_file, _, command, *arguments = sys.argv[1:]
with open(plan_file, encoding="utf-8") as f:
    plan = json.load(f)

logs = []
errors = []
missed = []  # what the plan waits for and did not come


async def sampling(context, params):
    return types.CreateMessageResult.model_validate(plan["sampling"])


async def elicitation(context, params):
    return types.ElicitResult.model_validate(plan["elicitation"])


async def roots(context):
    return types.ListRootsResult.model_validate({"roots": plan["roots"]})


async def logging(params):
    logs.append(params.data)


async def message(incoming):
    if isinstance(incoming, Exception):
        errors.append(repr(incoming))


def plain(value):
    """What a result is on the wire, as far as the SDK knows it."""
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


async def settle(answer):
    try:
        return await answer
    except Exception as e:
        return {"failed": type(e).__name__, "message": str(e)}


async def until(step, come):
    """Waits for what the step wants."""
    with anyio.move_on_after(PATIENCE):
        while not come():
            await anyio.sleep(0.005)
        return
    missed.append(f"{step['do']} {step['name']}: neither all progress nor all logs")


class Steps:
    """The steps of a plan. What both versions do alike is called on client."""

    def __init__(self, client):
        self.client = client

    async def list(self, get, key):
        found, cursor = [], None
        while True:
            if V2:
                page = plain(await get(cursor=cursor))
            else:
                page = plain(await get(params=types.PaginatedRequestParams(cursor=cursor)))
            found += page[key]
            cursor = page.get("nextCursor")
            if cursor is None:
                return found

    async def tools(self, step):
        return await self.list(self.client.list_tools, "tools")

    async def resources(self, step):
        return await self.list(self.client.list_resources, "resources")

    async def templates(self, step):
        return await self.list(self.client.list_resource_templates, "resourceTemplates")

    async def prompts(self, step):
        return await self.list(self.client.list_prompts, "prompts")

    async def call(self, step, on_progress=None):
        sent = {"message": "é☕" * step["big"]} if "big" in step else step.get("args") or {}
        progress = []

        async def heard(done, total, text):
            progress.append([done, total, text])

        if "progress" in step:
            on_progress = heard
        answer = await settle(self.client.call_tool(step["name"], sent, progress_callback=on_progress, meta=step.get("meta")))
        if not isinstance(answer, dict):
            answer = plain(answer)
        if "progress" in step:
            await until(step, lambda: len(progress) >= step["progress"])
        if "logs" in step:
            await until(step, lambda: len(logs) >= step["logs"])
        if "big" in step:
            return {"echoed": answer["content"][0]["text"].endswith(sent["message"])}
        return {"answer": answer, "progress": progress[: step["progress"]]} if "progress" in step else answer

    async def cancel(self, step):
        begun, early = anyio.Event(), anyio.Event()

        async def on_progress(*_):
            begun.set()

        async def call():
            await self.call({"name": step["name"], "args": step.get("args")}, on_progress if step.get("begun") else None)
            early.set()

        async with anyio.create_task_group() as group:
            if not V2:  # it tells nobody that a call is given up
                gone = types.CancelledNotification(params=types.CancelledNotificationParams(requestId=self.client._request_id))
            group.start_soon(call)
            if step.get("begun"):
                await until(step, lambda: begun.is_set() or early.is_set())
                if early.is_set():
                    missed.append(f"{step['name']} was to be given up, and came to its end")
            else:
                await anyio.lowlevel.checkpoint()
                await self.client.call_tool("echo", {"message": "after"})  # the call before this one is sent then
            if not V2:
                await self.client.send_notification(types.ClientNotification(gone))
            group.cancel_scope.cancel()
        return "given up"

    async def parallel(self, step):
        answers = [None] * step["n"]

        async def one(i):
            answers[i] = await self.call({"name": step["name"], "args": {**(step.get("args") or {}), "message": f"#{i}"}})

        async with anyio.create_task_group() as group:
            for i in range(step["n"]):
                group.start_soon(one, i)
        return answers

    async def held(self, step):
        """Makes a call, and does another step again and again until the call is answered."""
        answer, passed = [], False

        async def call():
            answer.append(await self.call(step))

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            while not answer:
                await getattr(self, step["meanwhile"])({})
                passed = passed or not answer
                await anyio.sleep(0.02)
        return {"answer": answer[0], "passed": passed}

    async def repeat(self, step):
        """Makes a call until its answer has a text, and returns the answers that differ from the one before."""
        answers = []
        while True:
            answer = await self.call(step)
            if answers[-1:] != [answer]:
                answers.append(answer)
            if step["has"] in json.dumps(answer):
                return answers
            await anyio.sleep(0.01)

    async def read(self, step):
        return plain(await self.client.read_resource(step["uri"]))

    async def prompt(self, step):
        return plain(await self.client.get_prompt(step["name"], step.get("args")))

    async def complete(self, step):
        ref = types.PromptReference.model_validate(step["args"]["ref"])
        return plain(await self.client.complete(ref, step["args"]["argument"]))

    async def level(self, step):
        return plain(await self.client.set_logging_level(step["level"]))

    async def ping(self, step):
        return plain(await self.client.send_ping())

    async def subscribe(self, step):
        return plain(await self.client.subscribe_resource(step["uri"]))

    async def unsubscribe(self, step):
        return plain(await self.client.unsubscribe_resource(step["uri"]))


def transport():
    """The transport to the server."""
    if not command.startswith("http"):
        return stdio_client(StdioServerParameters(command=command, args=arguments, env=dict(os.environ)))
    return sse_client(command) if command.endswith("/sse") else streamable_http_client(command)


@asynccontextmanager
async def connect():
    """The client of either version, and what the server said of itself."""
    answers = {
        "sampling_callback": sampling,
        "elicitation_callback": elicitation,
        "list_roots_callback": roots,
        "logging_callback": logging,
        "message_handler": message,
    }
    if V2:
        async with mcp.Client(transport(), mode=era, **answers) as client:
            yield client, {"server": plain(client.server_info) if client.server_info else None, "capabilities": plain(client.server_capabilities), "instructions": client.instructions}
    else:
        async with transport() as (read, write, *_):
            async with mcp.ClientSession(read, write, **answers) as client:
                hello = plain(await client.initialize())
                yield client, {"server": hello["serverInfo"], "capabilities": hello["capabilities"], "instructions": hello.get("instructions")}


async def main():
    async with connect() as (client, hello):
        steps, answers = Steps(client), [hello]
        for step in plan["steps"]:
            answer = await settle(getattr(steps, step["do"])(step))
            if plan.get("strict") and isinstance(answer, dict) and (answer.get("failed") or answer.get("isError")):
                missed.append(f"{step['do']}: {answer.get('message') or answer['content'][0]['text']}")
                break
            answers.append({"step": step["do"], "name": step.get("name"), "answer": answer})
        begin = time.monotonic()
    closing = (time.monotonic() - begin) * 1000
    if missed:
        sys.exit("; ".join(missed))
    print(json.dumps({"closing": closing, "answers": {"answers": answers, "logs": logs, "errors": errors}}))


anyio.run(main)
