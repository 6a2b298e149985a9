"""A real fleet of small bots and the show around it. Nothing of the product depends on it."""
