"""Where settings come from, how a wrong one is refused, and that each one is documented."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from hushpoll_server.settings import FILE, Settings, load_settings
from hushpoll_shared.errors import InvalidValue

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set a home for this test alone, and nothing else."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"HUSHPOLL_{name.upper()}", raising=False)
    monkeypatch.setenv("HUSHPOLL_HOME", str(tmp_path))
    return tmp_path


def sentence_of(**given: object) -> str:
    with pytest.raises(InvalidValue) as caught:
        load_settings(**given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_any_word_the_database_lies_in_the_home(home: Path) -> None:
    assert load_settings().database_url == f"sqlite:///{home}/hushpoll.sqlite"
    assert load_settings().queue_size == 10_000


def test_the_file_wins_over_the_default_the_environment_over_the_file_the_option_over_both(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / FILE).write_text('db = "sqlite:///file.db"\nqueue_size = 7\n')
    assert load_settings().database_url == "sqlite:///file.db"
    assert load_settings().queue_size == 7
    monkeypatch.setenv("HUSHPOLL_DB", "sqlite:///environment.db")
    assert load_settings().database_url == "sqlite:///environment.db"
    assert load_settings(db=None).database_url == "sqlite:///environment.db"
    assert load_settings(db="sqlite:///option.db").database_url == "sqlite:///option.db"
    assert load_settings().queue_size == 7


def test_the_file_is_that_of_the_home_that_was_given(home: Path) -> None:
    other = home / "other"
    other.mkdir()
    (home / FILE).write_text("queue_size = 7\n")
    (other / FILE).write_text("queue_size = 8\n")
    assert load_settings(home=other).queue_size == 8


def test_an_empty_variable_counts_as_not_set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / FILE).write_text('db = "sqlite:///file.db"\n')
    monkeypatch.setenv("HUSHPOLL_DB", "")
    assert load_settings().database_url == "sqlite:///file.db"
    monkeypatch.setenv("HUSHPOLL_HOME", "")
    assert load_settings().home.is_absolute()


def test_a_tilde_is_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HUSHPOLL_HOME", "~/polls")
    (tmp_path / "polls").mkdir()
    (tmp_path / "polls" / FILE).write_text("queue_size = 7\n")
    assert load_settings().home == tmp_path / "polls"
    assert load_settings().queue_size == 7


def test_an_unknown_name_in_the_file_is_refused_with_a_sentence(home: Path) -> None:
    (home / FILE).write_text("qeue_size = 7\n")
    assert sentence_of() == (
        "the setting 'qeue_size' in hushpoll.toml is not known: docs/settings.md lists all settings"
    )


@pytest.mark.parametrize("content", ["queue_size", "[", "a = 1\na = 2", 'db = "\udcff"'])
def test_a_file_that_is_no_toml_is_refused_by_name(home: Path, content: str) -> None:
    (home / FILE).write_bytes(content.encode("utf-8", "surrogateescape"))
    assert sentence_of().startswith(f"{home / FILE} is not valid TOML: ")


def test_the_file_cannot_move_the_home_that_it_lies_in(home: Path) -> None:
    (home / FILE).write_text('home = "/elsewhere"\n')
    assert "set HUSHPOLL_HOME instead" in sentence_of()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("queue_size", "many"),
        ("queue_size", "0"),
        ("queue_size", "1.5"),
        ("batch_wait", "0"),
        ("batch_wait", "nan"),
        ("batch_wait", "inf"),
        ("batch_wait", "1e10"),
        ("largest_batch", "10"),
        ("public_url", "polls.example.org"),
        ("public_url", "ftp://polls.example.org"),
        ("public_url", "https://"),
    ],
)
def test_a_wrong_value_is_refused_by_the_settings_name(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"HUSHPOLL_{name.upper()}", value)
    sentence = sentence_of()
    assert sentence.startswith(f"the setting '{name}' is not valid: ")
    assert "Value error" not in sentence
    assert sentence.endswith("(see docs/settings.md)")


def test_a_refusal_never_shows_the_password_of_the_database(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUSHPOLL_DB", "postgresql://me:swordfish@db/x")
    monkeypatch.setenv("HUSHPOLL_QUEUE_SIZE", "many")
    assert "swordfish" not in sentence_of()


@pytest.mark.parametrize("url", ["https://polls.example.org/", "HTTPS://Polls.example.org"])
def test_the_public_address_is_kept_in_one_spelling(url: str) -> None:
    """The attack: a server that does not see that its address is https sets cookies that travel without TLS."""
    assert load_settings(public_url=url).public_url == "https://polls.example.org"


def documented() -> dict[str, tuple[str, str]]:
    """Return the variable and the meaning of every setting in the table of docs/settings.md."""
    rows = re.findall(r"^\| `(\w+)` \| `(HUSHPOLL_\w+)` \| [^|]+ \| ([^|]+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    return {name: (variable, meaning) for name, variable, meaning in rows}


def test_every_setting_is_documented_and_no_other() -> None:
    assert documented().keys() == Settings.model_fields.keys()


@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_setting_is_documented_with_its_variable_its_meaning_and_its_default(name: str) -> None:
    field = Settings.model_fields[name]
    variable, meaning = documented()[name]
    assert variable == f"HUSHPOLL_{name.upper()}"
    assert field.description
    # The page uses the words of the code, and may say more.
    assert meaning.replace("`", "").startswith(field.description[:25])
    if isinstance(field.default, int | float):
        assert f"| `{variable}` | `{int(field.default)}` |" in DOCS.read_text("utf-8")


def test_the_example_file_of_the_page_is_valid(home: Path) -> None:
    [example] = re.findall(r"```toml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    (home / FILE).write_text(example)
    assert tomllib.loads(example).items() <= load_settings().model_dump().items()
