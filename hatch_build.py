"""Build a snapshot of the data into the wheel, so that ``runatlas check`` answers at once."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SnapshotHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling leaves its parameter open
    """Adds ``kg/resources/snapshot`` to a wheel; an editable install reads the checkout instead."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the graph from ``data/`` and name its folder as a file to include."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from kg.build import build

        built = build(data=Path(self.root) / "data", out=Path(self.directory) / "snapshot")
        build_data["force_include"][str(built.snapshot)] = "kg/resources/snapshot"
