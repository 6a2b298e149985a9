"""What is true of the world beside the services: the host and its network. It states facts and draws no conclusion."""
