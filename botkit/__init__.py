"""What a bot imports. It never imports `watchdog` or `recovery`."""
