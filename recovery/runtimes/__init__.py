"""One file per way of running a bot, each a `ports.Runtime`. They start, stop and look; they never decide."""
