"""Objects from documents: each once, in an order that the order of documents does not decide."""

from __future__ import annotations

import json
from itertools import permutations

import given
import pytest
from cli.reading import objects_of, refusal_of

from fullcrew.objects import Faulty


def text(*documents: given.Manifest) -> str:
    return "\n".join(json.dumps(document) for document in documents)


def test_objects_stand_in_an_order_of_their_own() -> None:
    three = [text(given.pod("b")), text(given.pod("a")), text(given.node("n"))]

    found = [objects_of(*order).objects for order in permutations(three)]

    assert all(each == found[0] for each in found)


def test_a_document_that_stands_twice_is_one_object() -> None:
    assert len(objects_of(text(given.pod("a")), text(given.pod("a"))).objects) == 1


def test_yaml_and_json_of_one_object_are_the_same() -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: default}\n"
    as_json = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}'

    assert len(objects_of(pod.replace(", namespace: default", ""), as_json).objects) == 1


def test_two_documents_of_one_object_must_say_the_same() -> None:
    first = text(given.pod("a", given.asking(cpu="1")))
    second = text(given.pod("a", given.asking(cpu="2")))

    told = str(refusal_of(first, second))

    assert "1.yaml: document 1" in told
    assert "Pod default/a stands in 0.yaml: document 1 too" in told


def test_what_is_not_read_may_differ_between_two_documents() -> None:
    one, two = (text(given.pod("a", given.spec(hostname=name))) for name in ("x", "y"))

    assert len(objects_of(one, two).objects) == 1


def test_the_same_name_in_two_namespaces_is_two_objects() -> None:
    assert len(objects_of(text(given.pod("a/x"), given.pod("b/x"))).objects) == 2


def test_kinds_that_are_not_read_are_counted() -> None:
    jobs = [{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": n}} for n in "ab"]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"generateName": "x-"}}

    found = objects_of(text(*jobs, service))

    assert found.objects == ()
    assert found.passed_over == (("Job.batch", 2), ("Service", 1))


def test_another_version_of_a_kind_is_read_alike() -> None:
    group = given.pod_group("g", 2) | {"apiVersion": "scheduling.volcano.sh/v1alpha9"}

    assert objects_of(text(group)).passed_over == ()


@pytest.mark.parametrize(
    "part",
    [
        given.asking(cpu="lots"),
        given.asking(cpu="1e999999999"),
        given.asking(memory="-" + "9" * 100),
        given.spec(containers="none"),
        given.spec(priority=2**70),
        given.status(phase=["Pending"]),
        given.meta(labels=["a"]),
        given.meta(deletionTimestamp=7),
    ],
)
def test_a_fault_inside_an_object_does_not_refuse_the_file(part: given.Manifest) -> None:
    found = objects_of(text(given.pod("a", part), given.pod("b")))

    assert len(found.objects) == 2


def test_an_object_with_a_field_of_a_wrong_type_says_which() -> None:
    (found,) = objects_of(text(given.pod("a", given.spec(containers="none")))).objects

    assert isinstance(found, Faulty)
    assert found.in_words.startswith("spec.containers")
