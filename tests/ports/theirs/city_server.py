"""An MCP server, as its users write one."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("cities")
POPULATION = {"Lyon": 522, "Nice": 348, "Lille": 236, "Nantes": 323, "Bordeaux": 261, "Rennes": 225, "Toulon": 180}


@server.tool()
def population(city: str) -> str:
    """The inhabitants of a city, in thousands."""
    return str(POPULATION.get(city, "unknown"))


@server.tool()
def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


if __name__ == "__main__":
    server.run("stdio")
