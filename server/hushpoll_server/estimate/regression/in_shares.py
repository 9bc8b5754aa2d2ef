"""What a logistic regression says about shares: points instead of log-odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hushpoll_server.estimate.regression.logistic import LogisticRegression
from hushpoll_server.estimate.regression.predictions import (
    Prediction,
    adjusted_shares,
    average_effects,
    predicted_share,
)
from hushpoll_server.estimate.regression.results import Coefficient
from hushpoll_server.estimate.results import Json

Place = Mapping[str, float | str]


@dataclass(frozen=True, kw_only=True)
class InShares:
    """What a logistic regression says about shares: effects, adjusted shares of labels, and predictions."""

    effects: Sequence[Coefficient] = ()
    adjusted: Mapping[str, Sequence[Prediction]] = field(default_factory=dict)
    predictions: Sequence[Prediction] = ()

    def to_json(self) -> Json:
        """Return the figures by name."""
        return {
            "effects": [effect.to_json() for effect in self.effects],
            "adjusted_shares": {name: [share.to_json() for share in shares] for name, shares in self.adjusted.items()},
            "predictions": [prediction.to_json() for prediction in self.predictions],
        }


def in_shares(fit: LogisticRegression, places: Sequence[Place] = (), scale: str = "logit") -> InShares:
    """Return the effects, the adjusted shares of all labels, and the predictions for some places."""
    return InShares(
        effects=average_effects(fit),
        adjusted={name: adjusted_shares(fit, name, scale=scale) for name in fit.references},
        predictions=[predicted_share(fit, place, scale=scale) for place in places],
    )
