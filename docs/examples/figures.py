"""Read figures of a survey with the standard library: python figures.py ADDRESS SURVEY TOKEN.

Put in the ids of your own questions and groups: here they are cheated, helped, stress and faculty.
"""

import json
import sys
from urllib.parse import urlencode
from urllib.request import Request, urlopen

address, survey, token = sys.argv[1:]


def read(call: str, **options: str) -> dict:
    """Return the figures of one call."""
    url = f"{address}/api/v1/surveys/{survey}/{call}?{urlencode(options)}"
    with urlopen(Request(url, headers={"Authorization": f"Bearer {token}"})) as response:
        return json.load(response)


for name, question in read("estimates")["questions"].items():
    for cell in question.get("cells", []):
        if cell["estimate"] is not None:
            print(f"{name} {cell['name']}: {cell['estimate']:.3f}, {cell['low']:.3f} to {cell['high']:.3f}")

for gap in read("compare", question="cheated", by="faculty")["differences"]:
    print(f"{gap['first']} − {gap['second']}: {gap['estimate']:.3f}, {gap['low']:.3f} to {gap['high']:.3f}")

table = read("crosstab", questions="cheated,helped")
for cell in table["cells"]:
    print(f"{cell['row']} × {cell['column']}: {cell['estimate']:.3f}")

stress = read("quantiles", question="stress", shares="0.5")
print(f"median of stress: {stress['quantiles'][0]['estimate']:g}")

fit = read("regression", outcome="cheated", covariates="faculty", model="linear")
for row in fit["coefficients"] or []:
    print(f"{row['name']}: {row['estimate']:.3f} ± {row['se']:.3f}")
