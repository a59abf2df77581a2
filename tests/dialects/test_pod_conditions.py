"""What a pod that waits is told to say, in words that autoscalers and people read."""

from __future__ import annotations

import json

import pytest

from fullcrew.dialects import status
from fullcrew.dialects.status import Guard
from fullcrew.model.reason import Kind, Reason, Stage

WORDS = {
    (Stage.PLACEMENT, Kind.SHORT): "Unschedulable",
    (Stage.PLACEMENT, Kind.NOWHERE): "Unschedulable",
    (Stage.TOPOLOGY, Kind.SHORT): "Unschedulable",
    (Stage.PLACEMENT, Kind.NOT_BUILT): "Placement",
    (Stage.ORDER, Kind.SHORT): "Order",
    (Stage.QUOTA, Kind.LIMIT): "Quota",
    (Stage.ADMISSION, Kind.CLOSED_QUEUE): "Admission",
    (Stage.ADMISSION, Kind.TOO_FEW_PODS): "Admission",
    (Stage.RESERVED, Kind.HELD): "Reserved",
    (Stage.BINDING, Kind.REFUSED): "Binding",
}


@pytest.mark.parametrize("cause", WORDS, ids="-".join)
def test_nodes_are_bought_only_where_room_is_short(cause: tuple[Stage, Kind]) -> None:
    word = status.word_for_pods(Reason(*cause, "so it is"))

    assert word == WORDS[cause]


def test_a_pod_says_that_it_is_not_scheduled_and_why() -> None:
    reason = Reason(Stage.PLACEMENT, Kind.SHORT, "2 gpus are missing")

    body = json.loads(status.pod_patch(reason, Guard("u-1", "7"), time="2026-01-01T00:00:00Z"))

    assert body == {
        "metadata": {"uid": "u-1", "resourceVersion": "7"},
        "status": {
            "conditions": [
                {
                    "type": "PodScheduled",
                    "status": "False",
                    "reason": "Unschedulable",
                    "message": "2 gpus are missing",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }
            ]
        },
    }
