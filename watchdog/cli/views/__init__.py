"""What people see in a terminal: values in, lines out. Nothing here asks the store, the daemon or the clock."""
