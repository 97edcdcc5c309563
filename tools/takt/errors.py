"""What goes wrong for reasons the user can mend."""

from __future__ import annotations


class UserError(Exception):
    """One message: what is wrong, where, and what to do. exit_code: 1 not fulfilled, 2 usage.

    detail is what a tool said, shown below the message; facts are for --json, beside the error.
    """

    def __init__(
        self, what: str, where: str = "", fix: str = "", exit_code: int = 1, detail: str = ""
    ) -> None:
        super().__init__(what)
        self.what, self.where, self.fix = what, where, fix
        self.exit_code, self.detail = exit_code, detail
        self.facts: dict[str, object] = {}

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        fix = f"\nfix: {self.fix}" if self.fix else ""
        return f"{place}{self.what}{fix}"

    def as_dict(self) -> dict[str, object]:
        """For --json."""
        fields = {"what": self.what, "where": self.where, "fix": self.fix}
        return fields | {"detail": self.detail} if self.detail else fields
