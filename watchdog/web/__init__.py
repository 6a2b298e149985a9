"""The doors of the daemon: the unix socket. It checks who asks and hands the wish on."""
