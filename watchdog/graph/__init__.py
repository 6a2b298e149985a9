"""Who needs whom: the dependency graph and walks over it. It holds no health."""
