"""What several tests stand on: a real PostgreSQL, a real browser, a local web server."""
