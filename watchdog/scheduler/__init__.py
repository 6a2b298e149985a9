"""When a report is due, and that it is made once. It does not know what stands in a report, nor how it is delivered."""
