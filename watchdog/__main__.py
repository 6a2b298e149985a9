"""`python -m watchdog` is `watchdogctl`."""

from watchdog.cli.main import main

if __name__ == "__main__":
    main()
