"""Simulated people and sensors: seeded players at a table, the noise of camera and pads, and the score of a tracker."""
