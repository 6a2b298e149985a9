"""Asks each service how it is and turns what came back into an Observation. It never judges a history."""
