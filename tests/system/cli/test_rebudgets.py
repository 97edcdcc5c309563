"""takt run judges by the budgets that a program has at the time, not by those it was built with."""

from __future__ import annotations

from collections.abc import Callable

SKETCH = """#include <Takt.h>
#include <takt/vcpu.h>
void setup() { Serial.begin(115200); }
void loop(1, 4, 10) { for (;;) continue; }
void loop(2, 20, 100) { for (;;) continue; }
void loop(3, 5, 50) {
  delay(300);
  static bool done;
  if (!done) {
    Serial.print(takt_vcpu_set_budget(0, 2000));
    Serial.print(takt_vcpu_set_budget(2, 60000));
    Serial.print(takt_vcpu_set_budget(2, 90000));
    done = true;
  }
}
"""


def test_a_budget_raised_at_run_time(takt: Callable, write: Callable) -> None:
    """Its delivery takes longer than the bound of the build, as was admitted: that is no miss."""
    folder = write("raised", SKETCH)
    bound = next(
        row["bound_us"]
        for row in takt("check", folder, "--json").json["threads"]
        if row["name"] == "loop 2"
    )
    found = takt("run", folder, "--seconds", "2", "--json")
    assert found.code == 0
    result = found.json
    assert result["serial"] == "00-7"
    row = next(row for row in result["threads"] if row["name"] == "loop 2")
    assert row["misses"] == 0 and bound < row["response_max_us"] <= row["bound_us"]
    assert row["cpu_us_max"] >= 60_000
    told = [text.partition(" from ")[0] for text in result["warnings"] if " a budget of " in text]
    assert told == ["loop 1 has a budget of 2 ms", "loop 2 has a budget of 60 ms"]
    lines = takt("trace", folder).out.splitlines()
    said = [line for line in lines if "has a budget of" in line]
    assert ["60000 us" in line for line in said] == [False, True]
