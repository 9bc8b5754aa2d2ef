"""Read the language of a survey file and its translations.

The rule here: people who answer in another language are asked the same, so a translation that lacks a text is refused,
and the error names what is missing. Options and labels may stay untranslated; a warning says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hushpoll_server.compile.drafts import Draft
from hushpoll_server.compile.fields import Fields, refuse_empty
from hushpoll_server.compile.yaml_with_lines import Located, LocatedError
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.groups import Groups
from hushpoll_shared.presentation import TranslatedQuestion, Translation, check_tag
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.questions import asked
from hushpoll_shared.words import interface
from hushpoll_shared.words.languages import primary

_TRANSLATION_KEYS = ("title", "consent", "thanks", "groups", "questions")
_QUESTION_KEYS = ("text", "options", "labels")
_NORWEGIAN = ' (some programs read a bare no as false: write "no" in quotes)'


@dataclass(frozen=True)
class _Source:
    """What is to be translated: the questions in order, their types as far as they could be read, and the groups."""

    entries: Mapping[str, Fields]
    types: Mapping[str, QuestionType]
    groups: tuple[str, ...]


def read_language(fields: Fields) -> str | None:
    """Read the language of the survey's own texts."""
    if "language" not in fields:
        if "translations" in fields:
            fields.note("translations", "translations need the survey's own language: add a line such as language: en")
        return None
    fields.attempt("language", lambda: _check_tag(fields["language"], "language"))
    _warn_about_interface(fields, "language", fields["language"])
    return str(fields["language"])


def read_translations(
    fields: Fields, drafts: Sequence[Draft], entries: Sequence[Fields], groups: Groups | None
) -> dict[str, Translation]:
    """Read all translations, sorted by tag; note what they lack."""
    written = fields.located("translations")
    if "translations" not in fields:
        return {}
    if not isinstance(written.value, dict) or not written.value:
        fields.note("translations", "translations must be a map of languages: fr: {title: …, consent: …, questions: …}")
        return {}
    source, tags = _source(drafts, entries, groups), tuple(sorted(written.value))
    listed = Fields(written, tags, fields.findings)
    read = {tag: listed.attempt(tag, partial(_read_one, listed, tag, source)) for tag in tags}
    _note_own_language(listed, fields["language"])
    return {tag: translation for tag, translation in read.items() if translation}


def _source(drafts: Sequence[Draft], entries: Sequence[Fields], groups: Groups | None) -> _Source:
    types = {name: each for draft in drafts for name, each in asked(draft.id, draft.type).items()}
    by_id = {fields["id"]: fields for fields in entries if isinstance(fields["id"], str)}
    # A pair, then its parts, as in the manifest; last the questions that could not be read, in the order of the file.
    labels = tuple(name for dimension in groups.dimensions for name in dimension.ids) if groups else ()
    return _Source({name: by_id[name] for name in (*types, *by_id) if name in by_id}, types, labels)


def _check_tag(value: object, what: str) -> None:
    try:
        check_tag(value, what)
    except InvalidValue as error:
        raise InvalidValue(f"{error}{_NORWEGIAN if value in (False, 'false') else ''}") from None


def _warn_about_interface(fields: Fields, key: str, tag: object) -> None:
    if isinstance(tag, str) and primary(interface(tag).tag) != primary(tag):
        fields.warn(key, f"Hushpoll is not translated into {tag}: its buttons and explanations are shown in English")


def _note_own_language(listed: Fields, language: object) -> None:
    if isinstance(language, str) and language in listed:
        listed.note(language, f"{language} is the survey's own language: remove this translation")


def _read_one(listed: Fields, tag: str, source: _Source) -> Translation | None:
    _check_tag(tag, "the key of a translation")
    _warn_about_interface(listed, tag, tag)
    fields = Fields(listed.located(tag), _TRANSLATION_KEYS, listed.findings)
    title, consent = _needed(fields, "title", tag), _needed(fields, "consent", tag)
    thanks = _needed(fields, "thanks", tag) if "thanks" in fields else None
    written = fields.located("questions")
    if "questions" not in fields or not isinstance(written.value, dict):
        fields.note(
            "questions", f"the translation into {tag} has no questions: add questions: {{cheated: {{text: …}}}}"
        )
        return None
    texts = _read_questions(Fields(written, tuple(source.entries), listed.findings), tag, source)
    groups = fields.attempt("groups", lambda: _read_groups(fields, source.groups, tag)) or {}
    # Missing and unreadable texts have been noted, so no manifest will be made.
    return (
        Translation(title, consent, texts, thanks, groups) if title and consent and not listed.findings.errors else None
    )


def _read_groups(fields: Fields, names: tuple[str, ...], tag: str) -> dict[str, str]:
    if "groups" not in fields:
        if names:
            fields.warn("groups", f"the groups are not translated into {tag}: those of the survey are shown")
        return {}
    written = fields.located("groups")
    if not names or not isinstance(written.value, dict):
        raise InvalidValue("groups must be a map of the survey's labels to texts, or be left out")
    return {name: _read_text(item) for name, item in zip(names, _by_name(written, "groups", names), strict=True)}


def _needed(fields: Fields, key: str, tag: str) -> str:
    if key not in fields:
        fields.note(key, f"the translation into {tag} has no {key}: add {key}: …")
        return ""
    before = len(fields.findings.errors)
    text = fields.text(key, "", "")
    return text if len(fields.findings.errors) == before else ""


def _read_questions(fields: Fields, tag: str, source: _Source) -> dict[str, TranslatedQuestion]:
    missing = [name for name in source.entries if name not in fields and not _is_joined(name, source)]
    if missing:
        fields.note("", f"the translation into {tag} lacks: {', '.join(missing)}: add {missing[0]}: {{text: …}}")
    texts: dict[str, TranslatedQuestion] = {}
    for name in sorted(source.entries, key=lambda name: _is_joined(name, source)):
        translated = fields.attempt(name, partial(_read_question, fields, name, tag, source, texts))
        if translated:
            texts[name] = translated
    return {name: texts[name] for name in source.entries if name in texts}


def _is_joined(name: str, source: _Source) -> bool:
    """Return whether the text of a question is joined from those of its parts."""
    return "pair" in source.entries[name] and "text" not in source.entries[name]


def _read_question(
    listed: Fields, name: str, tag: str, source: _Source, read: Mapping[str, TranslatedQuestion]
) -> TranslatedQuestion | None:
    question_type = source.types.get(name)
    if name not in listed:
        return _joined(question_type, read) if question_type else None
    fields = Fields(listed.located(name), _QUESTION_KEYS, listed.findings)
    text = _needed(fields, "text", f"{tag} of {name}")
    if question_type is None or not text:
        return None
    read_list = partial(_read_texts, fields, question_type)
    lists = {key: fields.attempt(key, partial(read_list, key)) or () for key in ("options", "labels")}
    for key in lists:
        if key not in fields and _names(key, question_type):
            fields.warn("text", f"the {key} of {name} are not translated into {tag}: those of the survey are shown")
    return TranslatedQuestion(text, lists["options"], lists["labels"])


def _joined(question_type: QuestionType, read: Mapping[str, TranslatedQuestion]) -> TranslatedQuestion | None:
    texts = [read[part.id].text for part in question_type.parts if part.id in read]
    return TranslatedQuestion(" × ".join(texts)) if texts and len(texts) == len(question_type.parts) else None


def _read_texts(fields: Fields, question_type: QuestionType, key: str) -> tuple[str, ...]:
    if key not in fields:
        return ()
    names = _names(key, question_type)
    if not names:
        raise InvalidValue(f"the question has no {key}: remove them here")
    written = fields.located(key)
    items = _by_name(written, key, names) if isinstance(written.value, dict) else _in_order(written, key, names)
    return tuple(_read_text(item) for item in items)


def _read_text(item: Located) -> str:
    refuse_empty(item.value, "a translation", line=item.line)
    if not isinstance(item.value, str):
        raise LocatedError(item.line, "a translation must be a text: put it in quotes")
    return item.value


def _names(key: str, question_type: QuestionType) -> tuple[str, ...]:
    return tuple(question_type.texts.get(key, {}))


def _by_name(written: Located, key: str, names: tuple[str, ...]) -> list[Located]:
    for name, item in written.value.items():
        if name not in names:
            raise LocatedError(item.key_line, f"the question has no {key[:-1]} {name!r}: {_expected(key, names)}")
    missing = [name for name in names if name not in written.value]
    if missing:
        raise InvalidValue(f"the {key} {', '.join(missing[:10])} are missing here: translate all of them, or none")
    return [written.value[name] for name in names]


def _in_order(written: Located, key: str, names: tuple[str, ...]) -> list[Located]:
    if not isinstance(written.value, list) or len(written.value) != len(names):
        raise InvalidValue(f"{key} must be {len(names)} texts in the survey's order, or a map: {_expected(key, names)}")
    return written.value


def _expected(key: str, names: tuple[str, ...]) -> str:
    return f"its {key} are {', '.join(names[:10])}{' and more' if len(names) > 10 else ''}"
