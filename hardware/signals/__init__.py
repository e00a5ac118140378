"""Lights and buzzer: the signals of `referee.signals`, mixed and played."""

from hardware.signals.mixer import DARK, Mixer, Output
from hardware.signals.outputs import GpiozeroOutputs, MockOutputs, Outputs, outputs_of
from hardware.signals.player import SignalPlayer

__all__ = ["DARK", "GpiozeroOutputs", "Mixer", "MockOutputs", "Output", "Outputs", "SignalPlayer", "outputs_of"]
