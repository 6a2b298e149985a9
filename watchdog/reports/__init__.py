"""What happened over a period, as text. It reads records and changes nothing."""
