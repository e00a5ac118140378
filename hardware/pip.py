"""How a Python package gets into the environment that the referee runs in, for the cures that messages name."""

import os
import sys
from typing import Final

PIP: Final = f"{'' if os.access(sys.prefix, os.W_OK) else 'sudo '}{sys.executable} -m pip"
"""pip of this environment: another one would put the package where the referee does not find it."""
