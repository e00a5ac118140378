"""Teaching the card reader: decks that never existed, pictures of them, and the small network that learns from both."""
