"""The watchdog knows *when*: it probes, remembers, decides and speaks. It never knows how a thing is healed."""
