"""The schema of OpenAPI 3.1 documents, as the OpenAPI Initiative publishes it (Apache License 2.0)."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator

FILE = Path(__file__).with_name("openapi-3.1.schema.json")


def validator() -> Draft202012Validator:
    """Return a validator of whole documents."""
    return Draft202012Validator(json.loads(FILE.read_text(encoding="utf-8")))
