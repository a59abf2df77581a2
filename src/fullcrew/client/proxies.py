"""Which proxy the environment asks for, by the rules that kubectl follows.

`HTTPS_PROXY` or `HTTP_PROXY` by the server's scheme, unless `NO_PROXY` has the host: as a name, as
a domain and all below it, as an address or as a range of addresses. This machine itself is never
reached through a proxy.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

__all__ = ["proxy_for"]


def proxy_for(server: str, environment: Mapping[str, str]) -> str:
    """The proxy's address, with a scheme; empty where the server is reached directly."""
    split = urlsplit(server)
    name = f"{split.scheme}_proxy"
    proxy = environment.get(name.upper()) or environment.get(name) or ""
    if not proxy or _is_this_machine(split.hostname or ""):
        return ""
    excepted = environment.get("NO_PROXY") or environment.get("no_proxy") or ""
    if any(_is_meant(split, entry.strip().lower()) for entry in excepted.split(",")):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_meant(server: SplitResult, entry: str) -> bool:
    """Whether an entry of `NO_PROXY` means this server."""
    host = server.hostname or ""
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        pass  # one of them is a name
    name, _, port = entry.partition(":")
    if port and port != str(server.port or {"https": 443}.get(server.scheme, 80)):
        return False
    domain = name.removeprefix("*")
    if entry == "*":
        return True
    is_below = host.endswith(domain if domain.startswith(".") else f".{domain}")
    return bool(domain) and (host == domain or is_below)
