"""Recovery knows *how*: playbooks, actions, runtimes and the engine that runs them. It never imports `watchdog`."""
