"""The files for operators name what exists: paths, commands, ports, users, settings. No container engine is needed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from ruamel.yaml import YAML

from hushpoll_client.cli import main
from hushpoll_server.settings import Settings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
UNIT = (ROOT / "deploy" / "hushpoll.service").read_text("utf-8")
NGINX = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
CADDY = (ROOT / "deploy" / "Caddyfile").read_text("utf-8")
LIMITS = (ROOT / "deploy" / "limit-addresses.nft").read_text("utf-8")
COMPOSE: dict[str, Any] = YAML(typ="safe").load((ROOT / "compose.yaml").read_text("utf-8"))
ALL = {"Dockerfile": DOCKERFILE, "hushpoll.service": UNIT, "nginx.conf": NGINX, "Caddyfile": CADDY}
DEFAULTS = {name: field.default for name, field in Settings.model_fields.items()}


def instructions(name: str) -> list[str]:
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)


def check_command(words: list[str]) -> None:
    """Let the real command line read the words, without running the command."""
    program, name, *options = words
    assert Path(program).name == "hushpoll"
    context = click.Context(main)
    found = main.get_command(context, name)
    assert found
    found.make_context(name, options)


def test_the_image_copies_only_what_exists_and_is_not_ignored() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    copied = {source for line in instructions("COPY") if "--from" not in line for source in line.split()[:-1]}
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)


def test_the_image_copies_all_that_the_package_is_built_from() -> None:
    copied = {source for line in instructions("COPY") for source in line.split()[:-1]}
    build = (ROOT / "pyproject.toml").read_text("utf-8").partition("only-include = [")[2].partition("]")[0]
    assert {name.split("/")[0] for name in re.findall(r'"([^"]+)"', build)} <= copied


def test_the_image_runs_a_command_that_exists_as_a_user_who_is_not_root() -> None:
    [command] = [json.loads(line) for line in instructions("CMD")]
    check_command(command)
    assert f"EXPOSE {command[-1]}" in DOCKERFILE
    [user] = instructions("USER")
    assert user == "10001:10001"
    assert "--uid 10001" in DOCKERFILE
    assert DOCKERFILE.index("useradd") < DOCKERFILE.index("USER ")


def test_images_have_plain_names() -> None:
    assert {line.split()[0] for line in instructions("FROM")} == {"python:3.11-slim"}
    assert COMPOSE["services"]["postgres"]["image"] == "postgres:18"


def test_the_home_is_the_volume() -> None:
    [home] = instructions("VOLUME")
    assert f"HUSHPOLL_HOME={home}" in DOCKERFILE
    assert COMPOSE["services"]["hushpoll"]["volumes"] == [f"hushpoll:{home}"]
    assert set(COMPOSE["volumes"]) == {"hushpoll", "postgres"}


def test_compose_locks_the_server_in_and_postgres_is_a_choice() -> None:
    server, database = COMPOSE["services"]["hushpoll"], COMPOSE["services"]["postgres"]
    assert server["read_only"] is True
    assert server["cap_drop"] == ["ALL"]
    assert server["ports"] == ["127.0.0.1:8000:8000"]
    assert database["profiles"] == ["postgres"]
    assert server["depends_on"]["postgres"] == {"condition": "service_healthy", "required": False}


def test_the_unit_runs_a_command_that_exists_in_its_state_folder() -> None:
    [command] = re.findall(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)
    check_command(command.split())
    [state] = re.findall(r"^StateDirectory=(.*)$", UNIT, re.MULTILINE)
    assert f"Environment=HUSHPOLL_HOME=/var/lib/{state}\n" in UNIT
    for locked in (
        "DynamicUser=yes",
        "ProtectSystem=strict",
        "NoNewPrivileges=yes",
        "CapabilityBoundingSet=",
        "UMask=0077",
    ):
        assert f"\n{locked}\n" in UNIT


@pytest.mark.parametrize("name", ALL)
def test_only_settings_that_exist_are_named(name: str) -> None:
    named = {found.lower() for found in re.findall(r"HUSHPOLL_([A-Z_]+)", ALL[name])}
    assert named <= DEFAULTS.keys()


def test_compose_names_only_settings_that_exist() -> None:
    named = {variable.removeprefix("HUSHPOLL_").lower() for variable in COMPOSE["services"]["hushpoll"]["environment"]}
    assert named <= DEFAULTS.keys()


def test_the_proxies_pass_on_no_address_and_keep_no_access_log() -> None:
    for header in ("X-Forwarded-For", "X-Real-IP", "Forwarded"):
        assert f'proxy_set_header {header} "";' in NGINX
        assert f"header_up -{header}\n" in CADDY
    assert re.findall(r"access_log (.*);", NGINX) == ["off"]
    # A log directive of a site would be an access log; the one of the global options is not.
    assert "log" not in re.sub(r"#.*", "", CADDY.partition("\npolls.example.org {")[2]).split()


def test_nginx_limits_each_address_and_keeps_no_line_about_it() -> None:
    assert re.search(r"limit_conn addresses \d+;", NGINX)
    assert re.search(r"limit_req zone=requests burst=\d+ nodelay;", NGINX)
    # Both write at this level, below which nothing is written.
    assert re.findall(r"limit_(?:conn|req)_log_level (\w+);", NGINX) == ["info", "info"]
    assert re.findall(r"error_log \S+ (\w+);", NGINX) == ["crit"]


def test_behind_caddy_the_kernel_limits_each_address_as_nginx_does_and_keeps_no_line_about_it() -> None:
    [most] = re.findall(r"limit_conn addresses (\d+);", NGINX)
    assert re.findall(r"ct count over (\d+)", LIMITS) == [most, most]
    assert {"ip", "ip6"} <= set(re.findall(r"(\w+) saddr", LIMITS))
    # What reaches Caddy in another way would not be counted.
    assert "protocols h1 h2\n" in CADDY
    assert set(re.findall(r"dport (\d+)", LIMITS)) == {"443"}
    assert "log" not in re.sub(r"#.*", "", LIMITS).split()


def test_the_proxies_take_whole_answers_from_the_server_and_give_up_on_clients_that_do_not_read() -> None:
    assert "send_timeout " in NGINX
    assert "proxy_buffering off" not in NGINX
    assert re.search(r"\bwrite \d+s\n", CADDY)
    assert re.search(r"\bresponse_buffers \d+MB\n", CADDY)


def test_the_container_is_not_started_without_the_address_that_people_open() -> None:
    assert COMPOSE["services"]["hushpoll"]["environment"]["HUSHPOLL_PUBLIC_URL"].startswith("${HUSHPOLL_PUBLIC_URL:?")
    assert "HUSHPOLL_PUBLIC_URL=https://" in UNIT


def test_the_proxies_pass_on_the_name_that_the_browser_asked_for() -> None:
    assert "proxy_set_header Host $host;" in NGINX
    # Caddy does so unless it is told otherwise.
    assert "header_up Host" not in CADDY


def test_the_limits_of_the_proxies_fit_those_of_the_server() -> None:
    assert DEFAULTS["largest_batch"] == 8_000_000
    assert "client_max_body_size 8m;" in NGINX
    assert "max_size 8MB" in CADDY
    [refused_at_once] = re.findall(r"header_regexp Content-Length (\S+)", CADDY)
    assert re.fullmatch(refused_at_once, str(DEFAULTS["largest_batch"]))
    assert not re.fullmatch(refused_at_once, str(DEFAULTS["largest_batch"] - 1))
    [nginx_wait] = re.findall(r"proxy_read_timeout (\d+)s;", NGINX)
    [caddy_wait] = re.findall(r"response_header_timeout (\d+)s", CADDY)
    assert int(nginx_wait) > DEFAULTS["batch_wait"]
    assert int(caddy_wait) > DEFAULTS["batch_wait"]
    [nginx_idle] = re.findall(r"keepalive 32;\s+keepalive_timeout (\d+)s;", NGINX)
    [caddy_idle] = re.findall(r"keepalive (\d+)s", CADDY)
    assert int(nginx_idle) < DEFAULTS["header_wait"]
    assert int(caddy_idle) < DEFAULTS["header_wait"]
