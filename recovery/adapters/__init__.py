"""The operating system behind our own words. No playbook logic lives here."""
