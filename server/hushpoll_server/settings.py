"""Settings: from the environment (HUSHPOLL_…) and one file, hushpoll.toml in the instance's home.

The environment overrides the file. docs/settings.md describes each setting; a test fails if one is missing there.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import Field, ValidationError, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from hushpoll_shared.addresses import read_address
from hushpoll_shared.errors import InvalidValue

FILE = "hushpoll.toml"


class Settings(BaseSettings):
    """What an operator can choose."""

    model_config = SettingsConfigDict(env_prefix="HUSHPOLL_", env_ignore_empty=True, extra="forbid", frozen=True)

    home: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("hushpoll"),
        description="The instance's home folder: database, keys, state.",
    )
    db: str = Field(
        default="",
        description="The database's URL: sqlite:///FILE or postgresql://… ; empty means hushpoll.sqlite in the home.",
    )
    public_url: str = Field(
        default="",
        description="The address under which people reach this server, such as https://polls.example.org.",
    )
    batch_wait: float = Field(
        default=30.0,
        gt=0,
        le=3600,
        description="Seconds that a request waits for its commit before the client is told to try later.",
    )
    queue_size: int = Field(
        default=10_000,
        ge=1,
        description="Requests that may wait for a commit; clients beyond that are told to try later.",
    )
    largest_batch: int = Field(
        default=8_000_000,
        ge=1_000,
        description="The most bytes of an NDJSON body, after decompression, that are accepted.",
    )
    header_wait: float = Field(
        default=10.0,
        ge=0.1,
        le=3600,
        description="Seconds that a connection has to send the headers of its next request; then it is closed.",
    )
    body_wait: float = Field(
        default=30.0,
        ge=0.1,
        le=3600,
        description="Seconds that a request has to send its whole body; then it is refused.",
    )
    response_wait: float = Field(
        default=10.0,
        ge=0.1,
        le=3600,
        description="Seconds that a client may read nothing of its response; then its connection is closed.",
    )
    slowest_reader: int = Field(
        default=1000,
        ge=1,
        description="Bytes of a response that a client must read each second; a slower connection is closed.",
    )
    connections: int = Field(
        default=4096,
        ge=128,
        le=65_536,
        description="Connections that a worker holds at once; more wait until one ends.",
    )
    connections_per_address: int = Field(
        default=200,
        ge=1,
        description="Connections from one address that a worker holds at once when there is no proxy in front.",
    )
    insecure_without_tls: bool = Field(
        default=False,
        description="Serve other machines without TLS: anyone on the network path can read and change everything.",
    )

    metrics_token: str = Field(
        default="",
        pattern=r"^([!-~]{16,200})?$",
        repr=False,
        description="The secret that opens /metrics, 16 to 200 characters; empty means that nothing is counted.",
    )

    @field_validator("public_url")
    @classmethod
    def _check_public_url(cls, value: str) -> str:
        return read_address(value) if value else value

    @field_validator("home")
    @classmethod
    def _expand_home(cls, value: Path) -> Path:
        return value.expanduser()

    @property
    def database_url(self) -> str:
        """Return the database's URL, or its default."""
        return self.db or f"sqlite:///{self.home / 'hushpoll.sqlite'}"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (the base class's signature)
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (the base class's signature)
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Use arguments first, then the environment, then the file in the home that those two set."""
        named = {**env_settings(), **init_settings()}
        home = Path(named.get("home") or platformdirs.user_data_path("hushpoll"))
        return init_settings, env_settings, InitSettingsSource(settings_cls, _read_file(home.expanduser() / FILE))


def load_settings(**options: Any) -> Settings:
    """Load the settings; options that are missing on the command line (None) are ignored."""
    try:
        return Settings(**{name: value for name, value in options.items() if value is not None})
    except ValidationError as error:
        [first, *_] = error.errors(include_url=False, include_input=False)
        raise InvalidValue(_sentence(".".join(map(str, first["loc"])), first)) from None


def _read_file(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        # An error in the TOML, or bytes that are not UTF-8.
        raise InvalidValue(f"{path} is not valid TOML: {error}") from None
    if "home" in values:
        raise InvalidValue(f"{path} is in the home and cannot change it: set HUSHPOLL_HOME instead")
    return values


def _sentence(name: str, error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        return f"the setting {name!r} in {FILE} is not known: docs/settings.md lists all settings"
    what = error["msg"].removeprefix("Value error, ")
    return f"the setting {name!r} is not valid: {what} (see docs/settings.md)"
