"""Whether what somebody wrote as an address, or as a header, can be one; told before it is used."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from fullcrew import errors

__all__ = ["as_header", "as_url", "with_scheme"]

_SCHEMES = ("http", "https")


def as_url(text: str, *, what: str, where: str, schemes: tuple[str, ...] = _SCHEMES) -> str:
    """The address itself. Raises BadInput where it has another scheme, no host or no such port."""
    try:
        split = urlsplit(text)
        host, port = split.hostname or "", split.port
        host.encode("idna")
    except ValueError as error:
        raise _no_address(text, what, where, f": {error}") from None
    is_plain = text.isprintable() and " " not in text and not split.netloc.endswith(":")
    if split.scheme not in schemes or not host or port == 0 or not is_plain:
        raise _no_address(text, what, where)
    return text


def with_scheme(master: str) -> str:
    """A server's address as somebody typed it, who may have left `http://` out. A bare name, with
    neither scheme nor port, is more likely a slip."""
    is_bare = "://" not in master and ":" in master
    return as_url(f"http://{master}" if is_bare else master, what="it", where="--master").rstrip(
        "/"
    )


def as_header(text: str, *, what: str, where: str) -> str:
    """The value itself. Raises BadInput where HTTP has no place for one of its characters; the
    value is not shown, since it may be a secret."""
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        is_sound = False
    else:
        is_sound = text.isprintable()
    if not is_sound:
        raise errors.BadInput(
            f"{what} has a character that no header can have, such as a line's end",
            try_this="write it on one line, in one piece",
            where=where,
        )
    return text


def _no_address(text: str, what: str, where: str, why: str = "") -> errors.BadInput:
    shown = re.sub(r"//[^/@]*@", "//...@", text)  # what stands there may be a password
    return errors.BadInput(
        f"{what} is {shown!r:.100}, which is no address{why}",
        try_this="an address such as https://10.0.0.1:6443",
        where=where,
    )
