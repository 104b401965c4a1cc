"""The owner's side of the server: the sequence kept up to date, its page, closing, and the files."""

from __future__ import annotations

import sys
import threading
import time

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from dissensus.arrays import Values
from dissensus.audit import pages
from dissensus.audit.closing import Closed, adjudicate, close_study
from dissensus.audit.export import audit_frame, log_frame
from dissensus.audit.health import Health
from dissensus.audit.labelling import Refused
from dissensus.audit.live import Live
from dissensus.audit.overview import overview
from dissensus.audit.store import Unavailable
from dissensus.audit.study import Person, Study
from dissensus.reporting.embedding import script_json
from dissensus.windows.spreadsheets import inert

WAIT = 3.0  # seconds between looks at the log where no label of this server wakes us: another server may write
REST = 0.3  # seconds between two looks, so that the next documents have the processor


class Desk:
    """Follows the log in a thread, and answers the owner."""

    def __init__(self, study: Study, health: Health | None = None, root: str = "") -> None:
        self.study, self.health, self.root = study, health or Health(), root
        self._live: Live | None = None
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._over = False
        self._thread: threading.Thread | None = None
        self._closed: Closed | None = None

    # ── the thread ──
    def start(self) -> None:
        import scipy.optimize  # noqa: F401  (the second label needs it, and would hold up requests for a second)

        self._thread = threading.Thread(target=self._work, name="sequence", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over = True
        self._woken.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def wake(self) -> None:
        """A label was written."""
        self._woken.set()

    def _work(self) -> None:
        while not self._over:
            self._woken.clear()
            self.try_look()
            self._woken.wait(WAIT)
            time.sleep(REST)  # many labels at once are read in one go

    def try_look(self) -> None:
        """Look, and go on if that fails: the database may be away for a while."""
        try:
            self.look()
        except Unavailable as error:
            self.health.trouble(error.what)
        except Exception as error:
            self.health.trouble(f"the sequence could not be followed: {type(error).__name__}")
            sys.stderr.write(f"error: the sequence could not be followed: {type(error).__name__}\n")

    def look(self) -> Live:
        """The sequence after everything that is in the log now; writes down when the stop rule is met."""
        with self._lock:
            if self._live is None:
                self._live = Live(self.study)
            if self._live.refresh():
                self._live.mark_stop()
            return self._live

    # ── what the owner asks for ──
    def page(self, request: Request, person: Person) -> Response:
        return pages.page("owner.html", data={}, root=self.root, title=self.study.row.title)

    def state(self, request: Request, person: Person) -> Response:
        live = self.look()
        asked = request.query_params.get("drawn", "")
        drawn = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 6 else None
        with self._lock:
            shown = overview(self.study, live, drawn)
        text = script_json({**shown, "health": self.health.report(self.study.store.path)})
        return Response(text, media_type="application/json")

    def close(self, request: Request, person: Person) -> Values:
        """Close the study, once; the files are made from what was counted."""
        if request.state.body.get("confirm") is not True:
            raise Refused("closing has to be confirmed.", status=400)
        live = self.look()
        with self._lock:
            self._closed = close_study(self.study, live)
        return {"closed": True, "summary": self._closed.summary}

    def adjudicate(self, request: Request, person: Person) -> Values:
        """The owner's view on a document on which two experts differ."""
        body = request.state.body
        draw, grade = body.get("draw"), body.get("grade")
        if not isinstance(draw, int) or isinstance(draw, bool) or not isinstance(grade, str) or abs(draw) >= 2**31:
            raise Refused("name the draw and the grade.", status=400)
        adjudicate(self.study, person, draw, grade)
        return {"saved": True}

    def download(self, request: Request, person: Person) -> Response:
        name = request.path_params["name"]
        live = self.look()
        if name == "audit.csv":
            return _csv(inert(audit_frame(self.study, live)).write_csv(), name)
        if name == "audit.frame.parquet" and self.study.planned is not None:
            frame = self.study.planned.bodies()["frame"]
            return Response(frame, media_type="application/octet-stream", headers=attached(name))
        if name == "log.csv":
            return _csv(inert(log_frame(self.study)).write_csv(), name)
        if name == "record.json":
            body = self._files(live).record
            return Response(body, media_type="application/json", headers=attached(name))
        if name == "report.html":
            return pages.report_page(self._files(live).report)
        if name in ("scores.csv", "differences.csv"):
            made = self._files(live)
            return _csv(inert(made.scores if name == "scores.csv" else made.differences).write_csv(), name)
        return PlainTextResponse("There is no such file.", 404)

    def _files(self, live: Live) -> Closed:
        with self._lock:
            if self.study.current().closed is None:
                raise Refused("the study is still open: the report is written when it is closed.")
            if self._closed is None:
                self._closed = close_study(self.study, live)
            return self._closed


def _csv(text: str, name: str) -> Response:
    return Response(text, media_type="text/csv; charset=utf-8", headers=attached(name))


def attached(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
