"""From YAML text to typed settings, all errors at once. Nothing here decides about a bot."""
