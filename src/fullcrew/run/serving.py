"""What a kubelet and Prometheus ask of us over HTTP: alive, ready, how it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from aiohttp import web

from fullcrew import errors
from fullcrew.run.metrics import Metrics
from fullcrew.run.settings import Address

__all__ = ["Checks", "Serving"]

PLAIN: Final = "text/plain; version=0.0.4; charset=utf-8"


class Checks:
    """Questions whose answers are "" for well, or what is not well."""

    def __init__(self, alive: Callable[[], str], ready: Callable[[], str]) -> None:
        self.alive = alive
        self.ready = ready


class Serving:
    """The small server. Every address serves all paths: who probes needs no second port."""

    def __init__(self, checks: Checks, metrics: Metrics) -> None:
        self._checks = checks
        self._metrics = metrics
        self._runner: web.AppRunner | None = None
        self.addresses: list[Address] = []

    async def start(self, addresses: Iterable[Address]) -> None:
        """Listens; `addresses` then tells the ports, also where 0 was asked for."""
        app = web.Application()
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/livez", self._healthz)
        app.router.add_get("/readyz", self._readyz)
        app.router.add_get("/metrics", self._tell_metrics)
        runner = self._runner = web.AppRunner(app, access_log=None, handle_signals=False)
        await runner.setup()
        for place in dict.fromkeys(addresses):
            site = web.TCPSite(runner, place.host or None, place.port)
            try:
                await site.start()
            except OSError as error:
                raise errors.BadInput(
                    f"cannot listen on {place.host}:{place.port}: {error.strerror}",
                    try_this="--listen-address :8081, or 127.0.0.1:0 for any free port",
                ) from error
        self.addresses = [Address(str(told[0]), int(told[1])) for told in runner.addresses]

    async def stop(self) -> None:
        """Ends it."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _healthz(self, _: web.Request) -> web.Response:
        return _answer(self._checks.alive())

    async def _readyz(self, _: web.Request) -> web.Response:
        return _answer(self._checks.ready())

    async def _tell_metrics(self, _: web.Request) -> web.Response:
        return web.Response(body=self._metrics.text(), headers={"Content-Type": PLAIN})


def _answer(problem: str) -> web.Response:
    return web.Response(text=f"{problem or 'ok'}\n", status=503 if problem else 200)
