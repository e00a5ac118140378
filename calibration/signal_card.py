"""The card that is printed with the mat: what the lights and the buzzer say, and what the pads understand."""

from pathlib import Path
from typing import Final

from fpdf import FPDF

from referee.signals import SIGNALS, Signal

GESTURES: Final = (
    ("Slap", "At the end of a deal: hit the pad of the pile you want. The first contact counts."),
    ("I can't play", "Both your own pads together, while the table is in play."),
    ("Ready", "Both your own pads held for one second, before the spit or in a pause."),
    ("Undo", "All four pads held for two seconds: the last call is taken back."),
)
"""The gesture layer of the pads, in the players' words."""

INK: Final = (40, 52, 46)
FAINT: Final = (228, 234, 230)
LIT: Final = (214, 146, 30)
MM_PER_S: Final = 22.0


def _rhythm(pdf: FPDF, signal: Signal, left: float, top: float, width: float) -> None:
    """Draw a signal as two rows over time: when the light burns, and the tone as a line whose height is its pitch."""
    pdf.set_fill_color(*FAINT)
    pdf.rect(left, top, width, 6.6, style="F")
    at = left
    for beat in signal.beats:
        length = beat.ms * MM_PER_S / 1000
        if beat.lit:
            pdf.set_fill_color(*LIT)
            pdf.rect(at, top + 4.4, length, 2.0, style="F")
        if beat.hz:
            pdf.set_fill_color(*INK)
            height = min(beat.hz, 1800) / 1800 * 3.6
            pdf.rect(at, top + 4.0 - height, max(length, 0.4), 0.7, style="F")
        at += length


def _heading(pdf: FPDF, text: str) -> None:
    pdf.set_font("helvetica", style="B", size=13)
    pdf.cell(0, 9, text, new_x="LMARGIN", new_y="NEXT")


def _signals(pdf: FPDF) -> None:
    _heading(pdf, "What the referee says")
    pdf.set_font("helvetica", size=8)
    pdf.multi_cell(
        0, 4, "Amber: the light burns. Dark: the buzzer sounds, higher is a higher tone. 22 mm are a second."
    )
    pdf.ln(1)
    for name, signal in SIGNALS.items():
        top = pdf.get_y()
        pdf.set_font("helvetica", style="B", size=9)
        pdf.cell(25, 7, name.replace("_", " "))
        pdf.set_font("helvetica", size=8)
        pdf.cell(22, 7, "your light" if signal.place == "own" else "both lights")
        _rhythm(pdf, signal, 62, top, 56)
        pdf.set_xy(121, top + 1)
        pdf.multi_cell(75, 3.4, signal.words, new_x="LMARGIN", new_y="NEXT", align="L")
        pdf.set_y(max(top + 8.4, pdf.get_y() + 1))


def _gestures(pdf: FPDF) -> None:
    pdf.ln(2)
    _heading(pdf, "What your pads say")
    for name, words in GESTURES:
        pdf.set_font("helvetica", style="B", size=9)
        pdf.cell(25, 6, name)
        pdf.set_font("helvetica", size=9)
        pdf.multi_cell(0, 6, words, new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("helvetica", size=8)
    pdf.multi_cell(0, 5, "With two shared pads these calls are buttons on the page.", new_x="LMARGIN", new_y="NEXT")


def _instructions(pdf: FPDF) -> None:
    pdf.ln(2)
    _heading(pdf, "The mat")
    pdf.set_font("helvetica", size=9)
    text = (
        "Print every sheet at 100 %, lay the sheets edge to edge so that the joining marks meet, and tape them from"
        " behind. This ruler must measure 100 mm: if it does not, the printer has scaled the page."
    )
    pdf.multi_cell(0, 5, text, new_x="LMARGIN", new_y="NEXT")
    left, top = pdf.l_margin, pdf.get_y() + 3
    pdf.set_draw_color(*INK)
    pdf.set_line_width(0.25)
    pdf.line(left, top, left + 100, top)
    for mm in range(101):
        tall = 6.0 if mm % 50 == 0 else 4.5 if mm % 10 == 0 else 2.0
        pdf.line(left + mm, top, left + mm, top + tall)
    pdf.set_font("helvetica", size=8)
    for mm in range(0, 101, 50):
        pdf.text(left + mm - 1.5, top + 9.5, str(mm))


def draw_signal_card() -> FPDF:
    """Return the card: one A4 page."""
    pdf = FPDF(unit="mm", format="A4")
    pdf.set_title("Spit referee: signals and pads")
    pdf.set_auto_page_break(False)
    pdf.set_margins(14, 12)
    pdf.add_page()
    pdf.set_text_color(*INK)
    _signals(pdf)
    _gestures(pdf)
    _instructions(pdf)
    return pdf


def write_signal_card(path: Path) -> None:
    """Write the card's PDF."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draw_signal_card().output(str(path))
