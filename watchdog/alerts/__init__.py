"""When a person is told, and in which words. It never causes an action."""
