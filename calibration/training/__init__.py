"""Teaching the card reader: decks that never existed, pictures of them, and the small network that learns from both.

To make all three networks again, with torch, onnx and Pillow installed and from the project's folder:

    python -m calibration.training DATA KEPT...                # everything below, seeded, some three hours on two cores

which runs, and lets you run alone:

    python -m calibration.training.fetch DATA                  # typefaces and published decks
    python -m calibration.training.lookalike DATA KEPT...      # refuses art that resembles decks kept for judging
    python -m calibration.training.train DATA WORK             # pictures and the reader, about an hour on two cores
    python -m calibration.training.corners.pool DATA POOL      # cards for practice scenes, then `train` and `namer`
    python -m calibration.training.evaluate --table TABLE --photos PHOTOS --card hardware/vision/weights/reader.md
    python -m calibration.measure_stills PHOTOS --sheet worst.png

`decks`, `glyphs`, `painting` draw decks; `artwork` reads published ones; `scenes` lays cards on tables and photographs
them; `shards` keeps the pictures; `network` and `train` learn; `modelcard` writes the page beside the weights.
`corners` teaches the finder and the namer of still photographs.
"""
