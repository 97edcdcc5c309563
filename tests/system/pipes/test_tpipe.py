"""Pipes made at run time are in the report like the others, and what is lost fails the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.result import report
from takt.result.result import Result
from takt.world import world

# A device of two channels: 100 packets a second each, one packet in ten of channel 1 comes with
# eight others that no one has asked for.
SKETCH = """#include <Takt.h>
#include <takt/tpipe.h>
static int opened(struct takt_endpoint *, uint8_t, struct takt_pipe *) { return TAKT_OK; }
static const struct takt_endpoint_ops ops = {opened, nullptr};
static const struct takt_endpoint_attrs attrs = {.max_channels = 2, .max_tput = 64,
  .min_latency = 1000000, .min_pktsz = 4, .max_pktsz = 4, .transfer = TAKT_PUSHED};
struct takt_endpoint device = {&attrs, &ops, nullptr, nullptr, "device", nullptr, 4, TAKT_IN};
int pipes[2];
void *take(void *number) {
  long packet;
  struct takt_pipe *pipe = takt_tpipe_at(*(int *)number);
  while (pipe && takt_pipe_read(pipe, &packet) == TAKT_OK) {}
  return nullptr;
}
void setup() {
  Serial.begin(115200);
  qos_t asked = {1000000000, 3200, 16, 100000};  // 100 packets of 32 bits, room for 4, in 0.1 ms
  for (uint8_t i = 0; i < 2; i++) pipes[i] = takt_tpipe({&device, i}, &asked, take, &pipes[i]);
  Serial.println(takt_tpipe({&device, 2}, &asked, take, &pipes[0]));
  Serial.println(takt_tpipe({&device, 1}, &asked, take, &pipes[0]));
}
void loop(source, 1, 10) {
  static long n;
  for (uint8_t i = 0; i < 2; i++)
    for (int k = 0; k < (LOSE && i == 1 && n % 10 == 9 ? 9 : 1); k++)
      takt_pipe_put(takt_tpipe_at(pipes[i]), &n, micros());
  n++;
  delay(10);
}
"""


def ran(folder: Path, lose: int) -> Result:
    sketch = folder / "sketch"
    sketch.mkdir()
    (sketch / "sketch.ino").write_text(f"#define LOSE {lose}\n" + SKETCH)
    data = boards.load("pc")
    built = build(sketch, data, out=folder / "build")
    return run.run(built, world.load(sketch, data), 3.0)


def test_each_has_a_row(tmp_path: Path) -> None:
    result = ran(tmp_path, 0)
    rows = result.as_dict()["pipes"]
    assert [row["name"] for row in rows] == ["tpipe 0: device 0", "tpipe 1: device 1"]
    for row in rows:
        assert row["per_s_min"] >= 95 and row["rate_per_s"] == 100
        assert 0 < row["latency_max_us"] <= row["latency_bound_us"]
        assert row["lost"] == row["late"] == 0 and row["slots"] == 4
    assert result.serial.split() == ["-4", "-2"] and result.missed == 0
    assert "promise" not in report.render(result.saved()).renderables[0].plain


def test_what_is_lost_is_said_first(tmp_path: Path) -> None:
    result = ran(tmp_path, 1)
    rows = result.as_dict()["pipes"]
    assert rows[0]["lost"] == 0 and rows[1]["lost"] > 100 and result.missed >= rows[1]["lost"]
    first = report.render(result.saved()).renderables[0].plain
    assert f"promise not kept: {rows[1]['lost']} packets of pipes were lost" in first


# A thread made before the pipe has begun moves the pipe's thread one place up.
MOVED = """#include <Can.h>
#include <takt/create.h>
#include <takt/time.h>
canAdapter(kvaser, hydra, 1_ms, 6_ms);
void pipe(bus, canIn(kvaser, 0), qos(400, 100, 500_us)) {
  CanFrame frame;
  while (bus.read(frame)) ;
}
static char stack[65536] __attribute__((aligned(64)));
static struct takt_vcpu budget = TAKT_VCPU_INIT(100, 1000, 0);
static void waits(void *) { for (;;) takt_sleep(100000); }
static const struct takt_thread early = {waits, nullptr, stack, stack + sizeof stack, &budget,
                                         "early"};
void setup() {
  takt_thread_create(&early);
  kvaser.open(0, 500000);
}
void loop(slow, 10, 500) {
  uint32_t start = millis();
  while (millis() - start < 5) ;
  delay(500);
}
"""
CAR = '[parts.car]\ntype = "usb-can"\nperiods = ["3 ms"]\n'


@pytest.mark.parametrize("cpus", [1, 2])
def test_threads_made_at_run_time_move_nobodys_figures(cpus: int, tmp_path: Path) -> None:
    sketch, data = tmp_path / "sketch", boards.load("pc")
    sketch.mkdir()
    (sketch / "sketch.ino").write_text(f"#include <Takt.h>\n{MOVED}")
    (sketch / "world.toml").write_text(CAR)
    built = build(sketch, data, out=tmp_path / "build", cpus=cpus)
    result = run.run(built, world.load(sketch, data), 1.0, cpus=cpus)
    told = result.as_dict()
    (bus,) = told["pipes"]
    assert bus["handled"] > 150 and bus["lost"] == 0
    assert bus["latency_bound_us"] == 1000000 > built.pipes[0].bounds.delay_us
    rows = {row["name"]: row for row in told["threads"]}
    assert 4300 <= rows["loop slow"]["cpu_us_max"] <= 5100 and rows["loop slow"]["misses"] == 0
    (early,) = (row for name, row in rows.items() if name.startswith("early"))
    assert (early["budget_us"], early["period_us"]) == (100, 1000)
    assert early["cpu_us_max"] < 100 and early["bound_us"] < 1000
    assert rows["loop slow"]["bound_us"] > built.admission.bound_us("loop slow")
