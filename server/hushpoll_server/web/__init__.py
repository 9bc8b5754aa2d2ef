"""The web layer of the server: connections, deadlines, headers, compression, and what every page needs."""
