"""What shall be done, and why: pure rules in the order of `decide`, and the loop that carries them out."""
