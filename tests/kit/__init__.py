"""What several tests need: a real PostgreSQL, and a mail server that does as it is told."""
