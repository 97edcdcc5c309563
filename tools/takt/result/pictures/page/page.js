"use strict";
// The timeline: a canvas with lanes, a map of the whole run above it, tables below.
const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const chart = $("chart"), map = $("map"), tip = $("tip");
const AXIS = 30, MIN_SPAN = 5;
const THREAD = 40, THIN = 18, PIN = 24, SPACE = 12;
const CROWD = 4;  // pixels, and changes of a pin in them that are too many to draw
const PALEST = .45;  // of what runs for the shortest time
let css = {}, view = {a: D.windows.periods[0], b: D.windows.periods[1]}, mouse = null, measure = null;

// ---- data: flat lists of differences become arrays of absolute times
function spans(flat) {
  const out = {s: [], e: []};
  for (let i = 0, t = 0; i < flat.length; i += 2) {
    out.s.push(t += flat[i]); out.e.push(t += flat[i + 1]);
  }
  return out;
}
function times(flat) { let t = 0; return flat.map(d => t += d); }
// A colour for both themes: on dark ground it is mixed with white.
function shade(hex) {
  if (document.documentElement.dataset.theme !== "dark") return hex;
  return "#" + [1, 3, 5].map(i => Math.round(parseInt(hex.slice(i, i + 2), 16) * .68 + 255 * .32).toString(16).padStart(2, "0")).join("");
}
for (const t of D.threads) {
  t.base = t.colour;
  t.fg = spans(t.foreground); t.bg = spans(t.background);
  t.exhaust = times(t.exhaust); t.replenish = times(t.replenish);
  t.noted = times(t.noted); t.delivered.at = times(t.delivered.at);
}
D.idle = spans(D.idle);
D.isr = spans(D.handlers);
for (const p of D.pins) p.t = times(p.changes);

// First index with list[i] > x.
function after(list, x) {
  let lo = 0, hi = list.length;
  while (lo < hi) { const m = (lo + hi) >> 1; if (list[m] > x) hi = m; else lo = m + 1; }
  return lo;
}
function at(sp, x) {
  const i = after(sp.s, x) - 1;
  return i >= 0 && sp.e[i] >= x ? i : -1;
}

// ---- words
function dur(us) {
  const n = v => String(+v.toPrecision(5));
  const a = Math.abs(us);
  return a >= 1e6 ? n(us / 1e6) + " s" : a >= 1e3 ? n(us / 1e3) + " ms" : n(us) + " \u00b5s";
}
// Of bounds, which must not look smaller than they are.
function durUp(us) {
  const size = Math.pow(10, Math.max(0, String(Math.ceil(us)).length - 5));
  return dur(Math.ceil(us / size) * size);
}
function when(us) { return (us / 1e3).toFixed(3) + " ms"; }
function budget(t) {
  if (t.io_c_us != null) return dur(t.io_c_us) + " in every " + dur(t.io_t_us) + ", at most";
  return t.budget_us == null ? "no budget: spare time only"
    : dur(t.budget_us) + " in every " + dur(t.period_us);
}
const esc = s => String(s).replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);

// ---- lanes
const lanes = [];
(function () {
  let y = 8;
  const add = (kind, of, h) => { lanes.push({kind, of, y, h}); y += h + SPACE; };
  add("isr", null, THIN);
  for (const t of D.threads) add("thread", t, THREAD);
  add("idle", null, 12);
  for (const p of D.pins) add("pin", p, PIN);
  lanes.bottom = y;
})();
// Where the lanes begin: right of the longest label.
const GUTTER = (function () {
  const g = chart.getContext("2d");
  const widths = lanes.flatMap(labels).map(([text, font]) => { g.font = font; return g.measureText(text).width; });
  return Math.max(206, Math.ceil(Math.max(...widths)) + 16);
})();

function colours() {
  const style = getComputedStyle(document.documentElement);
  for (const k of ["back", "ink", "faint", "line", "lane", "idle", "isr", "pin", "pinfill",
    "exhausted", "replenished", "accent", "event"]) css[k] = style.getPropertyValue("--" + k).trim();
}
function fit(canvas, height) {
  const r = window.devicePixelRatio || 1, w = canvas.clientWidth;
  canvas.style.height = height + "px";
  canvas.width = Math.round(w * r); canvas.height = Math.round(height * r);
  const g = canvas.getContext("2d");
  g.setTransform(r, 0, 0, r, 0, 0);
  return [g, w];
}
const patterns = {};
function hatch(g, colour) {
  const key = colour + css.back;
  if (!patterns[key]) {
    const c = document.createElement("canvas"); c.width = c.height = 8;
    const p = c.getContext("2d");
    p.globalAlpha = .2; p.fillStyle = colour; p.fillRect(0, 0, 8, 8);
    p.globalAlpha = .75; p.strokeStyle = colour; p.lineWidth = 1.3;
    for (const d of [-8, 0, 8]) { p.beginPath(); p.moveTo(d - 1, 9); p.lineTo(d + 9, -1); p.stroke(); }
    patterns[key] = g.createPattern(c, "repeat");
  }
  return patterns[key];
}

// Bars of a lane. What is narrower than a pixel is gathered per pixel column and drawn the paler the
// less of the column it fills.
function bars(g, x, w, sp, y, h, fill) {
  const scale = (w - GUTTER) / (view.b - view.a);
  const thin = new Map();
  g.fillStyle = fill;
  for (let i = Math.max(0, after(sp.e, view.a)); i < sp.s.length && sp.s[i] < view.b; i++) {
    const a = Math.max(GUTTER, x(sp.s[i])), b = Math.min(w, x(sp.e[i]));
    if (b - a >= 1) g.fillRect(a, y, b - a, h);
    else { const col = Math.floor(a); thin.set(col, (thin.get(col) || 0) + (sp.e[i] - sp.s[i]) * scale); }
  }
  for (const [col, share] of thin) {
    g.globalAlpha = PALEST + (1 - PALEST) * Math.min(1, share);
    g.fillRect(col, y, 1, h);
  }
  g.globalAlpha = 1;
}
function triangles(g, x, list, y, up, colour) {
  g.fillStyle = colour;
  let last = -9;
  for (let i = after(list, view.a - 1); i < list.length && list[i] <= view.b; i++) {
    const c = x(list[i]);
    if (c < GUTTER || c - last < 3) continue;
    last = c;
    g.beginPath();
    g.moveTo(c, up ? y : y + 6); g.lineTo(c - 4, up ? y + 6 : y); g.lineTo(c + 4, up ? y + 6 : y);
    g.fill();
  }
}
// Where a pin changes too often to be drawn, it is as high as it is in the mean.
function drawPin(g, x, w, p, y, h) {
  let i = after(p.t, view.a), level = (i + p.first) % 2;
  const yl = v => y + h - v * h, upTo = Math.min(view.b, D.end);
  g.strokeStyle = css.pin; g.fillStyle = css.pinfill; g.lineWidth = 1.2;
  g.beginPath(); g.moveTo(GUTTER, yl(level));
  for (let from = GUTTER; from < w;) {
    const end = Math.min(w, Math.floor(from) + CROWD), first = i, before = level;
    let high = 0, at = from;
    for (; i < p.t.length && p.t[i] < upTo && x(p.t[i]) < end; i++) {
      high += level * (x(p.t[i]) - at); at = x(p.t[i]); level = 1 - level;
    }
    high += level * (end - at);
    if (i - first >= CROWD) {
      g.fillRect(from, y, end - from, h);
      g.globalAlpha = .5; g.fillStyle = css.pin;
      g.fillRect(from, yl(high / (end - from)), end - from, h * high / (end - from));
      g.globalAlpha = 1; g.fillStyle = css.pinfill;
      g.moveTo(end, yl(level));
    } else {
      let l = before, a = from;
      for (let k = first; k <= i; k++) {
        const c = k < i ? x(p.t[k]) : end;
        if (l) g.fillRect(a, y, c - a, h);
        g.lineTo(c, yl(l)); a = c;
        if (k < i) g.lineTo(c, yl(l = 1 - l));
      }
    }
    from = end;
  }
  g.stroke();
}
function niceStep(raw) {
  const e = Math.pow(10, Math.floor(Math.log10(raw)));
  return [1, 2, 5, 10].find(m => m * e >= raw * .999) * e;
}
function axis(g, x, w, y) {
  const span = view.b - view.a, step = niceStep(span / Math.max(3, (w - GUTTER) / 120));
  const [unit, size] = span >= 2e6 ? ["s", 1e6] : span >= 2e3 ? ["ms", 1e3] : ["\u00b5s", 1];
  const places = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  g.textAlign = "center"; g.textBaseline = "top"; g.font = "12px system-ui, sans-serif";
  for (let k = Math.ceil(view.a / step); k * step <= view.b; k++) {
    const c = x(k * step);
    g.strokeStyle = css.line; g.lineWidth = 1;
    g.beginPath(); g.moveTo(c, 0); g.lineTo(c, y); g.stroke();
    if (c > GUTTER + 8 && c < w - 18) { g.fillStyle = css.ink; g.fillText((k * step / size).toFixed(places), c, y + 5); }
  }
  g.fillStyle = css.faint; g.textAlign = "right";
  g.fillText("time since start [" + unit + "]", GUTTER - 8, y + 5);
}
// Of a lane: [text, font, below its middle] each.
function labels(lane) {
  if (lane.kind === "thread") return [
    [lane.of.name, "600 13px system-ui, sans-serif", -8], [budget(lane.of), "11.5px system-ui, sans-serif", 9]];
  const text = {isr: "interrupts", idle: "processor asleep"}[lane.kind]
    || `${lane.of.name} (${lane.of.output ? "" : "in, "}${lane.of.place})`;
  return [[text, "12.5px system-ui, sans-serif", 0]];
}
function label(g, lane) {
  g.textAlign = "right"; g.textBaseline = "middle";
  labels(lane).forEach(([text, font, below], row) => {
    g.font = font;
    g.fillStyle = lane.kind === "thread" && !row ? lane.of.colour : lane.kind === "pin" || lane.kind === "isr" ? css.ink : css.faint;
    g.fillText(text, GUTTER - 8, lane.y + lane.h / 2 + below);
  });
}
function periodBorders(g, x, w, t, y, h) {
  if (!t.period_us || (view.b - view.a) / t.period_us > (w - GUTTER) / 6) return;
  g.strokeStyle = css.faint; g.globalAlpha = .7; g.setLineDash([2, 3]); g.lineWidth = 1;
  let k = Math.max(0, Math.ceil((view.a - D.origin) / t.period_us));
  for (; D.origin + k * t.period_us <= view.b; k++) {
    const c = x(D.origin + k * t.period_us);
    g.beginPath(); g.moveTo(c, y - 3); g.lineTo(c, y + h + 3); g.stroke();
  }
  g.setLineDash([]); g.globalAlpha = 1;
}
function draw() {
  const bottom = lanes.bottom, [g, w] = fit(chart, bottom + AXIS);
  const x = t => GUTTER + (t - view.a) / (view.b - view.a) * (w - GUTTER);
  g.clearRect(0, 0, w, bottom + AXIS);
  for (const l of lanes) if (l.kind === "thread") { g.fillStyle = css.lane; g.fillRect(GUTTER, l.y, w - GUTTER, l.h); }
  axis(g, x, w, bottom);
  g.save(); g.beginPath(); g.rect(GUTTER, 0, w - GUTTER, bottom); g.clip();
  for (const l of lanes) {
    if (l.kind === "isr") bars(g, x, w, D.isr, l.y, l.h, css.isr);
    else if (l.kind === "idle") bars(g, x, w, D.idle, l.y, l.h, css.idle);
    else if (l.kind === "pin") drawPin(g, x, w, l.of, l.y, l.h);
    else {
      periodBorders(g, x, w, l.of, l.y, l.h);
      bars(g, x, w, l.of.bg, l.y, l.h, hatch(g, l.of.colour));
      bars(g, x, w, l.of.fg, l.y, l.h, l.of.colour);
      triangles(g, x, l.of.exhaust, l.y - 7, false, css.exhausted);
      triangles(g, x, l.of.replenish, l.y + l.h + 1, true, css.replenished);
      drawEvents(g, x, l);
    }
  }
  if (measure) {
    const a = x(Math.min(measure.from, measure.to)), b = x(Math.max(measure.from, measure.to));
    g.globalAlpha = .18; g.fillStyle = css.accent; g.fillRect(a, 0, b - a, bottom); g.globalAlpha = 1;
    g.fillStyle = css.ink; g.textAlign = "center"; g.textBaseline = "top"; g.font = "600 13px system-ui, sans-serif";
    g.fillText(dur(Math.abs(measure.to - measure.from)), (a + b) / 2, 2);
  }
  if (mouse && mouse.x > GUTTER) {
    g.strokeStyle = css.accent; g.globalAlpha = .8; g.lineWidth = 1;
    g.beginPath(); g.moveTo(mouse.x, 0); g.lineTo(mouse.x, bottom); g.stroke(); g.globalAlpha = 1;
  }
  g.restore();
  for (const l of lanes) label(g, l);
  drawMap();
  $("window").textContent = when(view.a) + " \u2026 " + when(view.b) + "  (" + dur(view.b - view.a) + ")";
}
let mapPicture = null;
function drawMap() {
  const [g, w] = fit(map, 34), x = t => (t - D.start) / (D.end - D.start) * w;
  const key = w + css.back;
  if (!mapPicture || mapPicture.key !== key) mapPicture = {key, picture: mapOf(g, w)};
  g.fillStyle = css.lane; g.fillRect(0, 0, w, 34);
  mapPicture.picture.forEach(([c, y, h, colour, alpha]) => {
    g.globalAlpha = alpha; g.fillStyle = colour; g.fillRect(c, y, 1, h);
  });
  g.globalAlpha = 1;
  const a = x(view.a), b = Math.max(x(view.b), x(view.a) + 3);
  g.globalAlpha = .2; g.fillStyle = css.accent; g.fillRect(a, 0, b - a, 34);
  g.globalAlpha = 1; g.strokeStyle = css.accent; g.lineWidth = 1.5; g.strokeRect(a, .75, b - a, 32.5);
}
// Share of each pixel column that a loop ran: one thin row per loop.
function mapOf(g, w) {
  const out = [], rows = D.threads.length, h = 30 / Math.max(rows, 1);
  D.threads.forEach((t, row) => {
    const full = new Float64Array(Math.ceil(w) + 1), unit = (D.end - D.start) / w;
    for (const sp of [t.fg, t.bg]) for (let i = 0; i < sp.s.length; i++) {
      let s = sp.s[i];
      while (s < sp.e[i]) {
        const col = Math.floor((s - D.start) / unit + 1e-9), end = Math.min(sp.e[i], D.start + (col + 1) * unit);
        if (col >= 0 && col < full.length) full[col] += (end - s) / unit;
        if (end <= s) break;
        s = end;
      }
    }
    for (let c = 0; c < w; c++) if (full[c] > 0) out.push([c, 2 + row * h, Math.max(1, h - 1), t.colour, PALEST + (1 - PALEST) * Math.min(1, full[c])]);
  });
  return out;
}

// ---- moving about
function show(a, b) {
  const whole = D.end - D.start;
  let span = Math.min(Math.max(b - a, MIN_SPAN), whole);
  a = Math.min(Math.max(a, D.start), D.end - span);
  view = {a, b: a + span};
  requestAnimationFrame(draw);
}
function zoom(factor, centre) {
  const c = centre ?? (view.a + view.b) / 2;
  const span = Math.min(Math.max((view.b - view.a) * factor, MIN_SPAN), D.end - D.start);
  const share = (c - view.a) / (view.b - view.a);
  show(c - share * span, c - share * span + span);
}
function pan(share) { const d = (view.b - view.a) * share; show(view.a + d, view.b + d); }
function timeAt(x) { return view.a + (x - GUTTER) / (chart.clientWidth - GUTTER) * (view.b - view.a); }
chart.addEventListener("wheel", e => {
  e.preventDefault();
  if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) pan(e.deltaX / 800);
  else zoom(Math.pow(1.0016, e.deltaY), timeAt(e.offsetX));
}, {passive: false});
let drag = null;
chart.addEventListener("pointerdown", e => {
  chart.setPointerCapture(e.pointerId);
  if (e.shiftKey) { const t = timeAt(e.offsetX); measure = {from: t, to: t}; drag = null; }
  else { drag = {x: e.offsetX, a: view.a, b: view.b}; measure = null; chart.classList.add("moving"); }
});
chart.addEventListener("pointermove", e => {
  mouse = {x: e.offsetX, y: e.offsetY};
  if (measure && e.buttons) measure.to = timeAt(e.offsetX);
  else if (drag) {
    const d = (drag.x - e.offsetX) / (chart.clientWidth - GUTTER) * (drag.b - drag.a);
    show(drag.a + d, drag.b + d);
  }
  explain(e);
  requestAnimationFrame(draw);
});
chart.addEventListener("pointerup", () => { drag = null; chart.classList.remove("moving"); });
chart.addEventListener("pointerleave", () => { mouse = null; tip.style.display = "none"; requestAnimationFrame(draw); });
chart.addEventListener("dblclick", e => zoom(.25, timeAt(e.offsetX)));
function mapTo(e) {
  if (!e.buttons) return;
  const c = D.start + e.offsetX / map.clientWidth * (D.end - D.start), half = (view.b - view.a) / 2;
  show(c - half, c + half);
}
map.addEventListener("pointerdown", e => { map.setPointerCapture(e.pointerId); mapTo(e); });
map.addEventListener("pointermove", mapTo);
const actions = {
  all: () => show(D.start, D.end), periods: () => show(...D.windows.periods),
  closeup: () => show(...D.windows.closeup), out: () => zoom(1.6), in: () => zoom(.625),
  left: () => pan(-.3), right: () => pan(.3),
};
for (const id in actions) $(id).onclick = actions[id];
const keys = {"0": "all", p: "periods", c: "closeup", "-": "out", "+": "in", "=": "in", ArrowLeft: "left", ArrowRight: "right"};
document.addEventListener("keydown", e => {
  if (keys[e.key] && !e.ctrlKey && !e.metaKey) { e.preventDefault(); actions[keys[e.key]](); }
});

// ---- explanations
function near(list, t, within) {
  const i = after(list, t);
  const best = [list[i - 1], list[i]].filter(v => v !== undefined).sort((p, q) => Math.abs(p - t) - Math.abs(q - t))[0];
  return best !== undefined && Math.abs(best - t) <= within ? best : null;
}
function onThread(l, t, y) {
  const th = l.of, within = (view.b - view.a) / chart.clientWidth * 6;
  let hit = y < l.y + 4 ? near(th.exhaust, t, within) : null;
  if (hit !== null) return [`${th.name}: budget used up`, `at ${when(hit)}. Until its budget comes back it runs only when nobody else has a claim.`];
  hit = y > l.y + l.h - 4 ? near(th.replenish, t, within) : null;
  if (hit !== null) return [`${th.name}: budget comes back`, `at ${when(hit)}. From here on it goes before all loops below it again.`];
  const event = y >= l.y && y < l.y + 13 ? onEvent(th, t, within) : null;
  if (event) return event;
  for (const [sp, text] of [[th.fg, "on its budget"], [th.bg, "in spare time, its budget is used up"]]) {
    let i = at(sp, t);
    if (i < 0) { const s = near(sp.s, t, within / 3); if (s !== null) i = after(sp.s, s) - 1; }
    if (i >= 0) return [`${th.name} runs ${th.budget_us == null && th.io_c_us == null ? "in spare time" : text}`, `${when(sp.s[i])} \u2026 ${when(sp.e[i])}, ${dur(sp.e[i] - sp.s[i])}`];
  }
  return [`${th.name} does not run`, `It waits, or a more urgent loop runs. Budget: ${budget(th)}.`];
}
function onPin(l, t) {
  const p = l.of, i = after(p.t, t), level = (i + p.first) % 2;
  const a = p.t[i - 1], b = p.t[i];
  const span = a !== undefined && b !== undefined ? `, for ${dur(b - a)}` : "";
  return [`${p.name}: ${level ? "high" : "low"}`, `${p.place}, ${p.output ? "the board drives it" : "driven from outside"}${span}` + (a !== undefined ? `, since ${when(a)}` : "")];
}
function words(l, t, y) {
  if (l.kind === "thread") return onThread(l, t, y);
  if (l.kind === "pin") return onPin(l, t);
  if (l.kind === "idle") {
    const i = at(D.idle, t);
    return i < 0 ? null : ["Nothing to do", `the processor sleeps for ${dur(D.idle.e[i] - D.idle.s[i])}`];
  }
  let i = at(D.isr, t);
  if (i < 0) { const s = near(D.isr.s, t, (view.b - view.a) / chart.clientWidth * 3); if (s !== null) i = after(D.isr.s, s) - 1; }
  return i < 0 ? null : [`Interrupt: ${D.sources[D.isr_source[i]] || "number " + D.isr_source[i]}`, `at ${when(D.isr.s[i])}, took ${dur(D.isr.e[i] - D.isr.s[i])}. Charged to no loop.`];
}
function explain(e) {
  const l = lanes.find(l => e.offsetY >= l.y - 8 && e.offsetY <= l.y + l.h + 8);
  const text = l && e.offsetX > GUTTER && !drag ? words(l, timeAt(e.offsetX), e.offsetY) : null;
  tip.style.display = text ? "block" : "none";
  if (!text) return;
  tip.innerHTML = `<b>${esc(text[0])}</b>${esc(text[1])}<br><span style="color:${css.faint}">${when(timeAt(e.offsetX))}</span>`;
  tip.style.left = Math.min(e.clientX + 16, window.innerWidth - tip.offsetWidth - 12) + "px";
  tip.style.top = Math.min(e.clientY + 18, window.innerHeight - tip.offsetHeight - 12) + "px";
}

// ---- tables
function table(id, head, rows) {
  $(id).innerHTML = "<thead><tr>" + head.map(([t, why]) => `<th${why ? ` title="${esc(why)}"` : ""}>${esc(t)}</th>`).join("") +
    "</tr></thead><tbody>" + rows.map(r => "<tr>" + r.map(c => c && c.html !== undefined ? c.html : `<td>${esc(c ?? "\u2013")}</td>`).join("") + "</tr>").join("") + "</tbody>";
}
// As world_tables.py has it: what is a list within a list has spaces only, and long ones are left at an item.
function said(v, within = false) {
  if (Array.isArray(v)) return items(v, within);
  if (v !== null && typeof v === "object") return Object.entries(v).map(([k, one]) => `${k} ${said(one)}`).join(", ");
  return String(v);
}
function items(list, within) {
  const quoted = list.some(one => one === "" || typeof one === "string" && /[ ,]/.test(one));
  const words = list.map(one => quoted && typeof one === "string" ? `"${one}"` : said(one, true));
  let shown = words.length;
  while (shown > 1 && words.slice(0, shown).join(", ").length > 60) shown--;
  const more = words.length - shown;
  return words.slice(0, shown).join(within ? " " : ", ") + (more ? ` and ${more} more` : "");
}
function fact([key, v]) {
  let text = said(v);
  if (text.length > 90) text = text.slice(0, 90) + "\u2026";
  return `<span>${esc(key.replaceAll("_", " "))} <b>${esc(text)}</b></span>`;
}
// What parts look like: dots, or where they have been, in a room seen from above.
const metres = cm => +(cm / 100).toFixed(2);
function pictures() {
  const found = Object.entries(D.pictures);
  $("map-box").hidden = !found.length;
  $("pictures").innerHTML = found.map(([name, p]) => {
    if (p.png) return `<figure><img src="${p.png}" alt="${esc(name)}"><figcaption>${esc(name)}: ${esc(p.caption)}</figcaption></figure>`;
    const [w, h] = p.room, flip = ([x, y]) => `${x},${h - y}`, last = p.path[p.path.length - 1];
    return `<figure><svg viewBox="-6 -6 ${w + 12} ${h + 12}" width="420" role="img" aria-label="path of ${esc(name)}">` +
      `<rect x="0" y="0" width="${w}" height="${h}" class="room"/>` +
      (p.line ? `<polyline points="${p.line.map(flip).join(" ")}" class="line"/>` : "") +
      `<polyline points="${p.path.map(flip).join(" ")}" class="path"/>` +
      `<circle cx="${p.path[0][0]}" cy="${h - p.path[0][1]}" r="4" class="from"/>` +
      `<circle cx="${last[0]}" cy="${h - last[1]}" r="${p.radius}" class="body"/></svg>` +
      `<figcaption>${esc(name)}: its way through a room of ${metres(w)} m &times; ${metres(h)} m, from the small dot to the disc</figcaption></figure>`;
  }).join("");
}
function tables() {
  $("title").textContent = D.title;
  $("subtitle").textContent = `What the processor of board ${D.board} did in ${dur(Math.round((D.end - D.start) / 1e3) * 1e3)} of virtual time.`;
  $("verdict").textContent = D.verdict;
  table("threads", [
    ["loop", ""], ["budget", "The processor time it is guaranteed in every period."],
    ["used per period", "Least and most time on its budget in one whole period."],
    ["spare time", "Time it ran without budget because nobody else had a claim."],
    ["budget used up", "How often its budget ran out."],
    ["longest response", "Longest time from its budget being usable until it was delivered or the loop waited for something."],
    ["promised", "What admission promised for that, before the program ran."],
    ["misses", "Responses longer than promised."],
    ["stack used", "Deepest use seen in this run, of the bytes the build gave it."],
  ], D.threads.map(t => [
    {html: `<td><span class="dot" style="background:${t.colour}"></span>${esc(t.name)}</td>`}, budget(t),
    t.cpu_us_min == null ? "\u2013" : dur(t.cpu_us_min) + " \u2026 " + dur(t.cpu_us_max), dur(t.background_us), t.exhausted,
    t.response_max_us == null ? "\u2013" : dur(t.response_max_us), t.bound_us == null ? "\u2013" : durUp(t.bound_us),
    {html: `<td class="${t.misses ? "bad" : "good"}">${t.misses}</td>`},
    t.stack_used == null ? "\u2013" : `${t.stack_used} of ${t.stack_size} B`,
  ]));
  $("about-budgets").hidden = !D.budgets;
  $("about-plain").hidden = D.budgets || !D.threads.length;
  eventTable();
  $("interrupts-box").hidden = !D.interrupts.length;
  table("interrupts", [["source", ""], ["count", ""], ["longest", ""], ["in all", ""]],
    D.interrupts.map(i => [i.name, i.count, dur(i.max_us), dur(i.total_us)]));
  const rows = Object.entries(D.world).map(([part, facts]) => [
    {html: `<td class="part"><b>${esc(part)}</b></td>`},
    {html: `<td class="facts">${Object.entries(facts).filter(([, v]) => v !== null && String(v) !== "").map(fact).join("")}</td>`},
  ]);
  $("world-box").hidden = !rows.length;
  $("world").innerHTML = rows.map(r => `<tr>${r.map(c => c.html).join("")}</tr>`).join("");
  pictures();
  $("serial-box").hidden = !D.serial;
  $("serial").textContent = D.serial;
}
function legend() {
  const c = D.threads.length ? D.threads[0].colour : "#0072B2";
  const item = (style, text) => `<span><i style="${style}"></i>${text}</span>`;
  const tri = (colour, up) => `width:0;height:0;border-radius:0;border-left:5px solid transparent;border-right:5px solid transparent;border-${up ? "bottom" : "top"}:8px solid ${colour}`;
  $("legend").innerHTML =
    (!D.budgets ? item(`background:${c}`, "runs") : item(`background:${c}`, "runs on its budget") +
    item(`background:repeating-linear-gradient(135deg,${c}cc 0 1.5px,${c}33 1.5px 6px)`, "runs in spare time, budget used up") +
    item(tri("var(--exhausted)", false), "budget used up") +
    item(tri("var(--replenished)", true), "budget comes back") +
    item("width:0;height:16px;border-left:1.5px dashed var(--faint)", "a period of the loop begins")) +
    item("background:var(--isr)", "interrupt handler") +
    item("background:var(--idle)", "nothing to do") +
    item(`background:linear-gradient(90deg,${c}73,${c})`, "paler: for a part of the time only") +
    item("background:var(--pin);opacity:.5", "pin too fast to draw: how much of the time it is high") +
    (D.events.length ? item("width:9px;height:9px;border-radius:0;transform:rotate(45deg);background:var(--ink)", "interrupt of a pin") +
      item("width:10px;height:10px;border-radius:50%;background:var(--back);border:1.5px solid var(--ink)", "handler takes its event") : "");
}
function theme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  for (const t of D.threads) t.colour = shade(t.base);
  colours(); tables(); legend(); mapPicture = null; requestAnimationFrame(draw);
}
const prefers = window.matchMedia("(prefers-color-scheme: dark)");
$("theme").onclick = () => theme(document.documentElement.dataset.theme !== "dark");
prefers.addEventListener("change", e => theme(e.matches));
window.addEventListener("resize", () => requestAnimationFrame(draw));
$("closeup").hidden = !D.windows.closeup;
theme(location.hash === "#dark" || (location.hash !== "#light" && prefers.matches));
