"""Collection: from the bytes of a request to a durable row and its counters."""
