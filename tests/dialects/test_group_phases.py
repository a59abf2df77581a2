"""The phase of a group, in each project's words, follows from its pods and from its reason."""

from __future__ import annotations

import pytest

from fullcrew import dialects
from fullcrew.dialects import status
from fullcrew.dialects.status import Standing
from fullcrew.dialects.words import Words
from fullcrew.model.reason import Kind, Reason, Stage

VOLCANO, KUBE_BATCH = dialects.volcano.WORDS, dialects.kube_batch.WORDS

SHORT = Reason(Stage.PLACEMENT, Kind.SHORT, "2 gpus are missing")
TOO_FEW = Reason(Stage.ADMISSION, Kind.TOO_FEW_PODS, "1 of 3 pods is there")
CLOSED = Reason(Stage.ADMISSION, Kind.CLOSED_QUEUE, "queue q is closed")
LIMIT = Reason(Stage.QUOTA, Kind.LIMIT, "queue q may have 4 gpus")

# What is there, what stood before, Volcano's word, kube-batch's word.
SITUATIONS = {
    "nothing yet": (Standing(3), "", "Inqueue", "Pending"),
    "no pods yet": (Standing(3, reason=TOO_FEW), "", "Inqueue", "Pending"),
    "no pods, queue closed": (Standing(3, reason=CLOSED), "", "Pending", "Pending"),
    "queue closed meanwhile": (Standing(3, 3, reason=CLOSED), "Inqueue", "Pending", "Pending"),
    "above a limit": (Standing(3, 3, reason=LIMIT), "", "Pending", "Pending"),
    "above a limit, admitted": (Standing(3, 3, reason=LIMIT), "Inqueue", "Inqueue", "Pending"),
    "no room": (Standing(3, 3, reason=SHORT), "", "Inqueue", "Pending"),
    "bound": (Standing(3, live=3), "Inqueue", "Running", "Running"),
    "runs": (Standing(3, live=3, running=3), "Running", "Running", "Running"),
    "runs and grows": (Standing(3, 2, live=3, reason=SHORT), "Running", "Running", "Running"),
    "one succeeded": (Standing(3, live=2, succeeded=1), "Running", "Running", "Running"),
    "one lost": (Standing(3, 1, live=2, reason=SHORT), "Running", "Unknown", "Unknown"),
    "one failed": (Standing(3, live=2, failed=1), "Running", "Unknown", "Unknown"),
    "one leaves": (Standing(3, live=2, leaving=1), "Running", "Unknown", "Unknown"),
    "all succeeded": (Standing(3, succeeded=3), "Running", "Completed", "Running"),
    "all ended, one badly": (Standing(3, succeeded=2, failed=1), "Running", "Completed", "Running"),
    "succeeded, others wait": (Standing(3, 1, succeeded=3), "Running", "Running", "Running"),
    "one succeeded, none runs": (Standing(3, 2, succeeded=1), "", "Inqueue", "Pending"),
    "cleaned up after the end": (Standing(3, reason=TOO_FEW), "Completed", "Completed", "Pending"),
    "cleaned up while it ran": (Standing(3, reason=TOO_FEW), "Running", "Inqueue", "Pending"),
    "a role is short": (Standing(3, live=4, lacks_role=True), "Running", "Unknown", "Unknown"),
}


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("words", [VOLCANO, KUBE_BATCH], ids=["volcano", "kube-batch"])
def test_a_phase_is_the_projects_own_word(situation: str, words: Words) -> None:
    standing, before, of_volcano, of_kube_batch = SITUATIONS[situation]
    if words is KUBE_BATCH and before in {"Inqueue", "Completed"}:
        before = "Pending"

    word = status.phase(words, standing, before=before)

    assert word == (of_volcano if words is VOLCANO else of_kube_batch)
