"""The real parts that tests run: the server as a process, a local web server, the browser."""
