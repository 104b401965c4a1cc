"""The suite on other Pythons and other versions of what it needs: `pip install nox`, then `nox`.

    nox                 the suite on every Python 3.11 to 3.14 that is found
    nox -s lowest       Python 3.11 with the lowest versions that pyproject.toml allows (needs uv)
    nox -s newest       the newest version of everything, whatever constraints.txt says

`tools/pythons.sh` brings Pythons that the machine lacks.
"""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "venv"
nox.options.sessions = ["suite"]
PYTEST = ("python", "-m", "pytest", "-n", "2", "--dist", "worksteal")


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def suite(session: nox.Session) -> None:
    """The tests with the versions that constraints.txt pins."""
    session.install("-c", "constraints.txt", "-e", ".[test]")
    session.run(*PYTEST, *session.posargs)


@nox.session(python="3.11", venv_backend="uv")
def lowest(session: nox.Session) -> None:
    """The tests with the lowest declared version of every direct dependency."""
    session.run("uv", "pip", "install", "--resolution", "lowest-direct", "-e", ".[test]", external=True)
    session.run(*PYTEST, *session.posargs)


@nox.session
def newest(session: nox.Session) -> None:
    """The tests with the newest version of everything: only what newer releases break fails here."""
    session.install("-e", ".[test]")
    session.run(*PYTEST, *session.posargs)
