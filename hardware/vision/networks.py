"""Small networks that ship in the package, run on one thread."""

from importlib import resources
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.pip import PIP
from referee.errors import DeviceError


class Network(Protocol):
    """One float32 array in, the first output out; batch first."""

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]: ...


def packaged_network(name: str) -> Network:
    """Load `weights/NAME.onnx` of this package."""
    return network_of((resources.files("hardware.vision") / "weights" / f"{name}.onnx").read_bytes())


def network_of(model: bytes) -> Network:
    """The network in an ONNX file, run by ONNX Runtime where it is installed (half the time), else by OpenCV.

    Raises DeviceError where neither can run it: OpenCV before 4.7 knows no weights in half precision.
    """
    try:
        import onnxruntime
    except ImportError:
        return _run_by_opencv(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # memory is given back, at the same speed
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    def run(batch: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(session.run(None, {name: batch})[0], np.float32)

    return run


def _run_by_opencv(model: bytes) -> Network:
    try:
        net = cv2.dnn.readNetFromONNX(np.frombuffer(model, np.uint8))
    except cv2.error:
        raise DeviceError(
            f"OpenCV {cv2.__version__} cannot run the card reader's network: `{PIP} install onnxruntime`"
        ) from None

    def forward(batch: NDArray[np.float32]) -> NDArray[np.float32]:
        net.setInput(batch)
        return np.asarray(net.forward(), np.float32)

    return forward
