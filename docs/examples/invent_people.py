"""Invent answers to two-faculties.yaml for a rehearsal: python invent_people.py writes a file for each group."""

import json
from pathlib import Path
from random import Random

# Faculty, age, how many people, the share who cheated, hours of study a week.
GROUPS = [
    ("arts", "young", 1000, 0.22, 16),
    ("arts", "older", 500, 0.12, 20),
    ("engineering", "young", 900, 0.42, 18),
    ("engineering", "older", 600, 0.30, 23),
]
chance = Random(2026)

for faculty, age, people, share, hours in GROUPS:
    lines = []
    for _ in range(people):
        cheated = chance.random() < share
        helped = chance.random() < (0.7 if cheated else 0.3)
        stress = 1 + sum(chance.random() < (0.65 if faculty == "engineering" else 0.5) for _ in range(4))
        studied = min(40, max(0, round(chance.gauss(hours, 7))))
        lines.append(json.dumps({"cheated": cheated, "helped": helped, "stress": stress, "hours": studied}))
    Path(f"{faculty}-{age}.ndjson").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{faculty}-{age}.ndjson: {people} invented people")
