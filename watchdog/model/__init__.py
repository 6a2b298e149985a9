"""The nouns of the watchdog: frozen values with their words. No rule and no I/O lives here."""
