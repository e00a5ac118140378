"""Teaching the corner finder: scenes of drawn cards, a network that finds indices in them, another that names them."""
