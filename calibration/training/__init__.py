"""Teaching the card reader: decks that never existed, pictures of them, and the small network that learns from both.

To make the reader's weights again, with torch, onnx and Pillow installed and from the project's folder:

    python -m calibration.training.fetch DATA                  # typefaces and published decks, 2 minutes
    python -m calibration.training.lookalike DATA KEPT...      # refuses art that resembles decks kept for judging
    python -m calibration.training.train DATA WORK             # pictures and network, about an hour on two cores
    python -m calibration.training.evaluate --table ../shared/table --photos ../shared/photos \
        --card hardware/vision/weights/reader.md

`decks`, `glyphs`, `painting` draw decks; `artwork` reads published ones; `scenes` lays cards on tables and photographs
them; `shards` keeps the pictures; `network` and `train` learn; `modelcard` writes the page beside the weights.
"""
