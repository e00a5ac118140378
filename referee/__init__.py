"""A referee for a real game of Spit. `referee.tracker` is the heart; see docs/architecture.md for the map."""
