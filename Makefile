# Two commands for everybody: `make demo` and `make test`. Both set themselves up and can be repeated.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

PI_OPENCV := opencv-contrib-python-headless==4.6.0.66 numpy==1.26.4

.PHONY: demo test test-vm test-pi-opencv lint lock clean

demo: $(READY)  ## a simulated table through the whole referee, no hardware
	$(BIN)/spit-referee demo $(ARGS)

test: $(READY) lint  ## every test that needs nothing but Python; SLOW=1 adds the slow ones
	$(BIN)/python -m pytest $(if $(SLOW),--slow) $(ARGS)

test-pi-opencv:  ## the eyes on the OpenCV of Raspberry Pi OS (its packages are for Python 3.11 and 3.12)
	$(PYTHON) -m venv build/pi-opencv
	build/pi-opencv/bin/python -m pip install --quiet --disable-pip-version-check $(PI_OPENCV) onnxruntime -e . \
	  gpiod hypothesis pypdfium2 pytest
	build/pi-opencv/bin/python -m pytest -q tests/hardware tests/calibration $(ARGS)

test-vm: $(READY)  ## the installed service in a virtual machine with real pins and camera (root, qemu, mmdebstrap)
	REQUIRE=vm $(BIN)/python -m pytest --slow -rP -m vm tests/vm $(ARGS)

lint: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(READY): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(READY)

lock:  ## renew requirements.lock after a change in pyproject.toml (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	  --no-header --extra vision --extra dev pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
