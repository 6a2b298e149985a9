"""watchdogctl: one thin file per group of verbs. No rule is decided here."""
