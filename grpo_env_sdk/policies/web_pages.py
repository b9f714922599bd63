"""Whether an address has no model server: every answer is a web page, as with a wrong path."""

_MOST = 3
"""A proxy may send one or two while a server starts."""


def is_web_page(text: str) -> bool:
    """Whether an answer is not JSON at all; where it is empty or breaks off, the connection has failed."""
    start = text.lstrip()
    return bool(start) and not start.startswith(("{", "["))


class WebPages:
    """Counts the pages until the first answer, and who still waits for anything."""

    def __init__(self) -> None:
        self._count = 0
        self._waiting: set[object] = set()

    def begin(self) -> object:
        """A request is under way from now on; pass what this returns to `are_all` and to `end`."""
        request = object()
        self._waiting.add(request)
        return request

    def end(self, request: object) -> None:
        """The request has its answer, or has failed."""
        self._waiting.discard(request)

    def are_all(self, request: object) -> bool:
        """Count a page; True where there were enough, and every request under way got one."""
        self._count += 1
        self._waiting.discard(request)
        return self._count >= _MOST and not self._waiting
