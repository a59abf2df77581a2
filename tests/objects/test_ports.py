"""Which ports of its node a pod takes."""

from __future__ import annotations

import pytest

from fullcrew import errors, objects
from fullcrew.objects import ports
from fullcrew.objects.ports import HostPort


def taken(**spec: object) -> tuple[HostPort, ...]:
    found = objects.decode(objects.Pod, {"spec": spec})
    assert isinstance(found, objects.Pod), found
    return ports.host_ports(found)


def test_only_host_ports_are_taken() -> None:
    told = [{"ports": [{"containerPort": 80}, {"containerPort": 81, "hostPort": 8081}]}]

    assert taken(containers=told) == (HostPort("TCP", 8081, ""),)


@pytest.mark.parametrize("address", ["", "0.0.0.0"])
def test_all_addresses_have_one_spelling(address: str) -> None:
    assert taken(containers=[{"ports": [{"hostPort": 80, "hostIP": address}]}]) == (
        HostPort("TCP", 80, ""),
    )


def test_protocols_and_addresses_are_ports_of_their_own() -> None:
    told = [
        {"hostPort": 80, "protocol": "UDP"},
        {"hostPort": 80, "hostIP": "10.0.0.1"},
        {"hostPort": 80},
        {"hostPort": 80, "protocol": ""},
    ]

    assert taken(containers=[{"ports": told}]) == (
        HostPort("TCP", 80, ""),
        HostPort("TCP", 80, "10.0.0.1"),
        HostPort("UDP", 80, ""),
    )


def test_a_pod_in_the_nodes_network_takes_every_port_of_its_containers() -> None:
    told = [{"ports": [{"containerPort": 80}, {"containerPort": 81, "hostPort": 81}]}]

    assert [port.port for port in taken(hostNetwork=True, containers=told)] == [80, 81]


def test_sidecars_keep_their_ports_and_init_containers_give_them_back() -> None:
    sidecar = {"restartPolicy": "Always", "ports": [{"hostPort": 1}]}

    found = taken(initContainers=[sidecar, {"ports": [{"hostPort": 2}]}], containers=[])

    assert [port.port for port in found] == [1]


def test_all_addresses_of_ipv6_are_one_more_as_kube_scheduler_has_it() -> None:
    told = [{"hostPort": 80, "hostIP": "::"}]

    assert taken(containers=[{"ports": told}]) == (HostPort("TCP", 80, "::"),)


def test_a_port_of_zero_is_none() -> None:
    assert taken(containers=[{"ports": [{"hostPort": 0, "protocol": "a/b"}]}]) == ()


@pytest.mark.parametrize(
    ("port", "field", "told"),
    [
        ({"hostPort": -1}, "hostPort", "-1 is no port"),
        ({"hostPort": 65536}, "hostPort", "65536 is no port"),
        ({"containerPort": 99999}, "containerPort", "99999 is no port"),
        ({"hostPort": 80, "protocol": "a/b"}, "protocol", "'a/b' is no protocol"),
        ({"hostPort": 80, "protocol": "tcp"}, "protocol", "'tcp' is no protocol"),
        ({"hostPort": 80, "hostIP": "host"}, "hostIP", "'host' is no address"),
    ],
)
def test_a_port_that_none_can_be_is_a_fault(port: dict[str, object], field: str, told: str) -> None:
    with pytest.raises(errors.BadInput) as refused:
        taken(hostNetwork=True, containers=[{"ports": [{}, port]}])

    assert refused.value.where == f"spec.containers[0].ports[1].{field}"
    assert refused.value.problem == told


def test_ports_of_the_container_alone_are_not_judged() -> None:
    assert taken(containers=[{"ports": [{"containerPort": 99999, "protocol": "a/b"}]}]) == ()
