from tests.benchmarks import page, port_lines
from tests.doc_blocks import blocks_of
from tests.ports.page import PAGE, with_ports
from tests.ports.port import PORTS


def test_the_page_shows_every_port_as_it_is_played():
    shown = {block.title for block in blocks_of(PAGE) if block.language == "python"}
    assert shown == {port.module.name for port in PORTS if port.module}
    text = PAGE.read_text(encoding="utf-8")
    assert with_ports(text) == text, "python -m tests.ports.page writes them anew"


def test_the_table_of_lines_is_that_of_today():
    assert str(port_lines.measure()) in page.PAGE.read_text(encoding="utf-8"), (
        "python -m tests.benchmarks port_lines writes it anew"
    )
