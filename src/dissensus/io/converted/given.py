"""What the readers of files take over from the manifests of converted folders: notes, and a scale that was declared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dissensus.io.converted.manifest import Manifest, Side, manifest_for, side_of
from dissensus.io.files import InputFile
from dissensus.io.options import RoleOptions


def folder_notes(files: Sequence[InputFile]) -> tuple[str, ...]:
    """What was noted when the files of converted folders were converted."""
    return tuple(dict.fromkeys(n for m, side in _folders(files) for n in m.side(side).notes))


def declared(files: Sequence[InputFile], options: RoleOptions) -> RoleOptions:
    """The options, with the scale that was declared when the files were converted."""
    scales = [m.scale for m, _ in _folders(files) if m.scale is not None and m.scale.declared]
    plain = options.scale is None and not options.map and options.threshold is None
    return replace(options, scale=scales[0]) if plain and len(scales) == 1 else options


def _folders(files: Sequence[InputFile]) -> list[tuple[Manifest, Side]]:
    listed = (manifest_for(f) for f in {f.path.parent: f.path for f in files if f.root is not None}.values())
    return [(found[0], side_of(found[1])) for found in listed if found is not None]
