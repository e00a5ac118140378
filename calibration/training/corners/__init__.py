"""Teaching the corner finder: scenes of drawn cards, the network that finds indices in them, and the one that names them."""
