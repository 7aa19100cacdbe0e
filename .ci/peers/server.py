"""A server with the official Python SDK, version 1 (FastMCP) or 2, whichever is
installed. It has what the Go server of the tests has.

    python server.py [streamable-http|sse]

The two are served over HTTP, at a URL that is printed on stderr.
"""
import sys
from typing import Annotated

import anyio
from pydantic import BaseModel

try:
    from mcp.server.mcpserver import Context, MCPServer  # version 2
    from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
    from mcp_types import Completion, CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
except ImportError:
    from mcp.server.fastmcp import Context, FastMCP as MCPServer
    from mcp.types import Completion, SamplingMessage, TextContent

    Resolve = None

transport, listen = (sys.argv[1:] or ["stdio"])[0], {"host": "127.0.0.1", "port": 0}
server = MCPServer("tea", instructions="Call echo.", **(listen if Resolve is None else {}))


class Order(BaseModel):
    cups: int = 1
    name: str = ""


def question():
    return [SamplingMessage(role="user", content=TextContent(type="text", text="Tea?"))]


@server.tool()
def echo(message: str) -> str:
    return message


@server.tool()
def fail() -> str:
    raise ValueError("out of tea")


@server.tool()
async def work(ctx: Context) -> str:
    for step in (1, 2, 3):
        print("step", step, file=sys.stderr, flush=True)
        await ctx.report_progress(step, 3)
        await ctx.info(f"step {step}")
    return "done"


@server.tool()
async def wait(ctx: Context) -> str:
    await ctx.report_progress(1)
    await anyio.sleep_forever()


if Resolve is None:

    @server.tool()
    async def roots(ctx: Context) -> str:
        return (await ctx.session.list_roots()).model_dump_json()

    @server.tool()
    async def elicit(ctx: Context) -> str:
        return (await ctx.elicit("How many?", Order)).model_dump_json()

    @server.tool()
    async def sample(ctx: Context) -> str:
        return (await ctx.session.create_message(question(), max_tokens=10)).model_dump_json()

else:

    async def roots_of() -> ListRoots:
        return ListRoots()

    async def order() -> Elicit[Order]:
        return Elicit("How many?", Order)

    async def answer() -> Sample:
        return Sample(question(), max_tokens=10)

    @server.tool()
    def roots(found: Annotated[ListRootsResult, Resolve(roots_of)]) -> str:
        return found.model_dump_json()

    @server.tool()
    def elicit(given: Annotated[Order, Resolve(order)]) -> str:
        return given.model_dump_json()

    @server.tool()
    def sample(said: Annotated[CreateMessageResult, Resolve(answer)]) -> str:
        return said.model_dump_json()


@server.resource("tea://menu")
def menu() -> str:
    return "Assam\r\nDarjeeling\u2028Ceylon <&>"


@server.resource("tea://pot/{n}")
def pot(n: str) -> str:
    return f"pot {n}"


@server.prompt()
def offer(guest: str) -> str:
    return f"Tea, {guest}?"


@server.completion()
async def completion(ref, argument, context):
    return Completion(values=[n for n in ("Ada", "Alan") if n.startswith(argument.value)])


print("tea ready: ☕", file=sys.stderr, flush=True)
server.run(transport, **({} if Resolve is None or transport == "stdio" else listen))
