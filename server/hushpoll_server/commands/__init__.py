"""The commands that need the server's libraries, one module each, with the attribute `command`."""
