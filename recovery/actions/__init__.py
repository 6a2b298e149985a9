"""One verb per file, found by its file name. Actions see `recovery.ports` only and not each other."""
