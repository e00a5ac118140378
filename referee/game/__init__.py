"""The exact engine: crisp events in, rulings and announcements out, the whole table as one frozen value."""
