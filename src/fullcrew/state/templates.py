"""What pods made from one template share is worked out once: their ask, and what they require.

Pods come by the hundred from one template, and structs compare in a fraction of the time that it
takes to reckon what a pod asks. So a pod is first sorted by a rough sketch of its spec, then
compared with the templates of that sketch. Nothing here depends on a pod's name, labels or status.
"""

from __future__ import annotations

from typing import Final

from fullcrew.errors import BadInput
from fullcrew.model.where import Term, Toleration
from fullcrew.objects import Pod, asking, choosing, ports
from fullcrew.objects.pod import PodSpec
from fullcrew.state import not_built
from fullcrew.state.asks import Asks, of_host_ports
from fullcrew.state.causes import Cause, words_of

__all__ = ["NO_ASK", "Rules", "Template", "Templates", "ask_of", "is_alike"]

NO_ASK: Final = -1  # of what cannot be read

_MOST_ALIKE: Final = 32  # templates of one sketch; the oldest goes
_MOST: Final = 1 << 16  # sketches; beyond it all is forgotten, and worked out again where needed

_Sketch = tuple[object, ...]


class Rules:
    """Which nodes pods of a template may use, as far as the template tells. `fault` is in words."""

    __slots__ = ("causes", "fault", "preferred", "required", "tolerations")

    def __init__(self, pod: Pod) -> None:
        self.fault = ""
        self.required: tuple[tuple[Term, ...], ...] = ()
        self.preferred: tuple[tuple[int, Term], ...] = ()
        self.tolerations: tuple[Toleration, ...] = ()
        self.causes: tuple[Cause, ...] = tuple(not_built.of_spec(pod.spec))
        try:
            self.required = choosing.required(pod)
            self.preferred = choosing.preferred(pod)
            self.tolerations = tuple(sorted(set(choosing.tolerations(pod))))
        except BadInput as bad:
            self.fault = words_of(bad)


class Template:
    """A spec, and what was worked out from it. `wheres` is a memory of the one who numbers them."""

    __slots__ = ("_rules", "ask", "fault", "spec", "wheres")

    def __init__(self, pod: Pod, asks: Asks) -> None:
        self.spec = pod.spec
        self.ask, self.fault = ask_of(pod, asks)
        self._rules: Rules | None = None
        self.wheres: dict[object, int] = {}

    def rules(self, pod: Pod) -> Rules:
        """Read at the first waiting pod, since nobody asks for those of bound ones."""
        if self._rules is None:
            self._rules = Rules(pod)
        return self._rules


class Templates:
    """The templates seen lately."""

    __slots__ = ("_asks", "_by_sketch")

    def __init__(self, asks: Asks) -> None:
        self._asks = asks
        self._by_sketch: dict[_Sketch, list[Template]] = {}

    def of(self, pod: Pod) -> Template:
        """The template of a pod; of a bound one only while the kubelet gives it what was asked."""
        sketch = _sketch(pod.spec)
        alike = self._by_sketch.get(sketch)
        if alike is None:
            if len(self._by_sketch) >= _MOST:
                self._by_sketch.clear()
            alike = self._by_sketch[sketch] = []
        for template in alike:
            if is_alike(template.spec, pod.spec):
                return template
        if len(alike) >= _MOST_ALIKE:
            del alike[0]
        template = Template(pod, self._asks)
        alike.append(template)
        return template

    def clear(self) -> None:
        """The asks were numbered anew."""
        self._by_sketch.clear()


def ask_of(pod: Pod, asks: Asks) -> tuple[int, str]:
    """The number of what the pod asks, or the fault that makes it unreadable."""
    try:
        amounts = asking.asked(pod)
        if taken := ports.host_ports(pod):
            amounts |= of_host_ports(taken)
        return asks.of(amounts), ""
    except BadInput as bad:
        return NO_ASK, words_of(bad)


def _sketch(spec: PodSpec) -> _Sketch:
    containers = spec.containers
    if len(containers) == 1:
        requests: object = tuple(containers[0].resources.requests.items())
    else:
        requests = tuple(tuple(each.resources.requests.items()) for each in containers)
    return (requests, len(spec.init_containers), tuple(spec.node_selector.items()))


def is_alike(one: PodSpec, other: PodSpec) -> bool:
    """Whether all is the same that an ask and a where are made of, volumes left out."""
    return (
        one.containers == other.containers
        and one.tolerations == other.tolerations
        and one.init_containers == other.init_containers
        and one.node_selector == other.node_selector
        and one.affinity == other.affinity
        and one.overhead == other.overhead
        and one.resources == other.resources
        and one.host_network == other.host_network
        and one.resource_claims == other.resource_claims
        and one.topology_spread_constraints == other.topology_spread_constraints
    )
