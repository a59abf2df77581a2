"""The process `fullcrew scheduler`: the loop, election, statuses, metrics, health and logs.

What it may do on a cluster; deploy/rbac.yaml has exactly these:

| resource | verbs | why |
|---|---|---|
| nodes, pods, namespaces, persistentvolumes, persistentvolumeclaims | list, watch | the plan |
| csinodes | list, watch | whether a node limits what it attaches |
| priorityclasses | list, watch | the plan |
| pods | get | to settle a bind whose outcome is not known |
| pods/binding | create | the binds |
| pods/status | patch | `PodScheduled=False` and why |
| pods | delete | a wounded gang is released whole, if a controller makes its pods again |
| events | create | a gang waits, a gang starts, a pod is bound |
| podgroups | get, list, watch | the plan; each group is read before its gang starts |
| podgroups | patch | the reason; the status where it is no resource of its own |
| podgroups/status | patch | the status |
| queues | list, watch, patch | the plan; the status where it is no resource of its own |
| queues/status | patch | the status |
| leases | get, create, update | election, in our own namespace |
| leases named as the names we serve | get, or better list | who else serves them, anywhere |

Podgroups and queues are those of scheduling.incubator.k8s.io, scheduling.sigs.dev and
scheduling.volcano.sh.
"""

from __future__ import annotations

from fullcrew.run.metrics import Metrics
from fullcrew.run.scheduler import Scheduler, main
from fullcrew.run.settings import Settings, from_flags

__all__ = ["Metrics", "Scheduler", "Settings", "from_flags", "main"]
