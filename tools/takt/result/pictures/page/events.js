// Events: marks in the lanes, a table, and for each handler a histogram with its bounds.
function marks(g, x, list, y, round) {
  const first = after(list, view.a - 1), end = after(list, view.b);
  if (end - first > 120) return; // they would hide everything
  g.fillStyle = round ? css.back : css.ink; g.strokeStyle = round ? css.ink : css.back; g.lineWidth = 1.2;
  for (let i = first; i < end; i++) {
    const c = x(list[i]);
    if (c < GUTTER) continue;
    g.beginPath();
    if (round) g.arc(c, y, 4, 0, 7);
    else { g.moveTo(c, y - 4.5); g.lineTo(c + 4.5, y); g.lineTo(c, y + 4.5); g.lineTo(c - 4.5, y); g.closePath(); }
    g.fill(); g.stroke();
  }
}
function drawEvents(g, x, l) {
  marks(g, x, l.of.noted, l.y + 7, false);
  marks(g, x, l.of.delivered.at, l.y + 7, true);
}
// What a mark at this place stands for; null: there is none.
function onEvent(th, t, within) {
  let hit = near(th.noted, t, within);
  if (hit !== null) return ["Interrupt", `at ${when(hit)}. It wakes the bottom half, which finds out what happened and tells the handler.`];
  hit = near(th.delivered.at, t, within);
  if (hit === null) return null;
  const i = th.delivered.at.indexOf(hit);
  return [`${th.name} is called for pin ${th.delivered.pin[i]}`, `at ${when(hit)}, ${dur(th.delivered.took[i])} after the interrupt.`];
}
function eventTable() {
  $("events-box").hidden = $("about-events").hidden = !D.events.length;
  table("events", [
    ["handler", ""], ["budget", "The processor time the handler is guaranteed in every period."],
    ["events", "Interrupts and further changes of the pin that are known of."],
    ["merged", "Events that became part of one that waited."],
    ["least", "Shortest time from the interrupt to the call of the handler."], ["mean", ""],
    ["99 % within", "Of 100 deliveries 99 took at most that."], ["most", "Longest time."],
    ["safe bound", "What takt check promised: no delivery may take longer."],
    ["Equation 3", "The paper's bound: short of what other loops, and the kernel itself, can add."],
    ["corrected", "Equation 3 without its slip where the bottom half takes whole budgets."],
    ["late", "Deliveries later than the safe bound."],
  ], D.events.map(e => [
    e.handler, `${dur(e.budget_us)} in every ${dur(e.period_us)}`, e.events, e.merged,
    ...[e.min_us, e.mean_us, e.p99_us, e.max_us].map(v => v == null ? "\u2013" : dur(v)),
    ...[e.bound_safe_us, e.bound_paper_us, e.bound_paper_corrected_us].map(v => v == null ? "\u2013" : durUp(v)),
    {html: `<td class="${e.late ? "bad" : "good"}">${e.late}</td>`},
  ]));
  $("histograms").innerHTML = D.events.filter(e => e.delivered).map(histogram).join("");
}
// Times along x: evenly, or by their logarithm where the bins grow; 0 .. 1.
function scale(edges) {
  const n = edges.length - 1, last = edges[n], one = edges[1];
  if (n < 3 || edges[2] - edges[1] === edges[n] - edges[n - 1]) return v => v / last;
  return v => v <= one ? v / one / n : 1 / n + Math.log(v / one) / Math.log(last / one) * (1 - 1 / n);
}
function ticks(edges, even) {
  const last = edges[edges.length - 1];
  if (!even) return [10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].filter(v => v <= last);
  const step = niceStep(last / 5);
  return Array.from({length: Math.floor(last / step) + 1}, (_, k) => k * step);
}
function histogram(e) {
  const {edges_us: edges, counts} = e.histogram, W = 440, H = 130, top = 46;
  const to = scale(edges), most = Math.max(...counts), even = edges.length < 4 || edges[2] - edges[1] === edges[edges.length - 1] - edges[edges.length - 2];
  const x = v => to(v) * W, px = v => v.toFixed(1);
  const bars = counts.map((n, i) => {
    if (!n) return "";
    const h = Math.max(1.5, n / most * H), a = x(edges[i]), w = Math.max(x(edges[i + 1]) - a - 1, 1);
    return `<rect x="${px(a)}" y="${px(top + H - h)}" width="${px(w)}" height="${px(h)}" fill="var(--event)"><title>${n} times ${dur(edges[i])} \u2026 ${dur(edges[i + 1])}</title></rect>`;
  });
  const marks = ticks(edges, even).map(v =>
    `<line class="grid" x1="${px(x(v))}" x2="${px(x(v))}" y1="${top}" y2="${top + H + 4}"/>` +
    `<text x="${px(x(v))}" y="${top + H + 17}" text-anchor="middle">${esc(dur(v))}</text>`);
  const line = (v, kind, name, y) => v == null || v > edges[edges.length - 1] ? "" :
    `<line class="${kind}" x1="${px(x(v))}" x2="${px(x(v))}" y1="${y + 4}" y2="${top + H}"/>` +
    `<text class="${kind}" x="${px(x(v))}" y="${y}" text-anchor="${to(v) > .6 ? "end" : "start"}">${name} ${esc(durUp(v))}</text>`;
  return `<figure><svg class="histogram" width="${W}" height="${top + H + 24}" viewBox="-4 0 ${W + 12} ${top + H + 24}" role="img" aria-label="delivery times of ${esc(e.handler)}">` +
    `<text class="name" x="0" y="11">${esc(e.handler)}</text>` + marks.join("") + bars.join("") +
    `<line class="axis" x1="0" x2="${W}" y1="${top + H}" y2="${top + H}"/>` +
    line(e.bound_paper_us, "paper", "Equation 3", 40) + line(e.bound_safe_us, "safe", "safe bound", 26) +
    `</svg><figcaption>${e.delivered} calls of ${esc(e.handler)} by the time since their interrupt${even ? "" : ", which grows tenfold from mark to mark"}; the highest bar is ${most}.</figcaption></figure>`;
}
