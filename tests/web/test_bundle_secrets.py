"""A file for a report gives nobody the key to the pages."""

from referee.cli.bundle import without_pin
from referee.web.addresses import qr_text, sign_in_address


def test_the_pin_and_its_qr_code_are_left_out() -> None:
    qr = qr_text(sign_in_address("http://192.168.1.7:8765/", "482913"))
    journal = f"Pages: http://192.168.1.7:8765/  PIN 482913\n{qr}\ncamera lost: it was pulled out\n"
    assert without_pin(journal).startswith("Pages: http://192.168.1.7:8765/  PIN left out")
    assert without_pin(journal).endswith("camera lost: it was pulled out")
    assert "482913" not in without_pin(journal) and "█" not in without_pin(journal)
