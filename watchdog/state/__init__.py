"""What is remembered of each service and incident. The folds are pure; only `store` touches the disk."""
