"""Run the `hushpoll` command as `python -m hushpoll_client`."""

from hushpoll_client.cli import main

main(prog_name="hushpoll")
