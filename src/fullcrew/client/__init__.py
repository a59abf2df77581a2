"""Credentials for everybody, and blocking requests for commands and for users' programs."""

from __future__ import annotations

from fullcrew.client.blocking import Client, Refusal, in_path, refusal
from fullcrew.client.credentials import Credentials, find_access, in_cluster
from fullcrew.client.kubeconfig import (
    Access,
    Certificate,
    Exec,
    from_kubeconfig,
)

__all__ = [
    "Access",
    "Certificate",
    "Client",
    "Credentials",
    "Exec",
    "Refusal",
    "find_access",
    "from_kubeconfig",
    "in_cluster",
    "in_path",
    "refusal",
]
