"""One file per symptom: a pure look at one history. No symptom knows what will be done about it."""
