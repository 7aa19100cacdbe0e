"use strict";
(() => {
  const read = id => JSON.parse(document.getElementById(id).textContent);
  const data = read("data"), names = data.names, rows = data.rows;
  const N = 0, T = 1, STREAM = 2, KIND = 3, METHOD = 4, TARGET = 5, ID = 6, LAT = 7, LEN = 8, PAIR = 9, SEV = 10, OP = 11, STATE = 12, LETTER = 13;
  const el = (tag, cls, text) => { const e = document.createElement(tag); if (cls) e.className = cls; if (text !== undefined) e.textContent = text; return e; };
  // What a peer sent is shown, never obeyed: controls and what turns text round are made visible.
  const odd = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
  const vis = s => s.replace(odd, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  const ms = us => us < 0 ? "" : us < 1000 ? us + " µs" : us < 1e4 ? (us / 1e3).toFixed(1) + " ms" : us < 1e6 ? Math.round(us / 1e3) + " ms" : (us / 1e6).toFixed(2) + " s";
  const size = n => n < 1000 ? n + " B" : n < 1e6 ? (n / 1e3).toFixed(1) + " kB" : (n / 1e6).toFixed(1) + " MB";
  const chunks = new Map();
  const body = i => {
    const c = Math.floor(i / data.chunk);
    if (!chunks.has(c)) { if (chunks.size > 40) chunks.delete(chunks.keys().next().value); chunks.set(c, read("b" + c)); }
    return chunks.get(c)[i % data.chunk];
  };

  // A list shows the rows in sight only. Beyond most pixels its scroll bar stands for more than it is high.
  function list(box, height, count, draw) {
    const most = 8e6, space = el("div", "space"), drawn = new Map();
    box.replaceChildren(space);
    const high = () => Math.min(count() * height, most);
    function show() {
      const total = high(), scale = count() * height > most ? (count() * height - box.clientHeight) / (total - box.clientHeight) : 1;
      space.style.height = total + "px";
      const top = box.scrollTop * scale, from = Math.max(0, Math.floor(top / height) - 5), to = Math.min(count(), Math.ceil((top + box.clientHeight) / height) + 5);
      for (const [i, e] of drawn) if (i < from || i >= to) { e.remove(); drawn.delete(i); }
      for (let i = from; i < to; i++) {
        let e = drawn.get(i);
        if (!e) { e = draw(i); drawn.set(i, e); space.append(e); }
        e.style.top = (box.scrollTop + i * height - top) + "px";
      }
    }
    let asked = false;
    const ask = () => { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; show(); }); } };
    box.addEventListener("scroll", ask, { passive: true });
    new ResizeObserver(ask).observe(box);
    show();
    return {
      redraw() { for (const e of drawn.values()) e.remove(); drawn.clear(); show(); },
      reveal(i) {
        const total = high(), scale = count() * height > most ? (count() * height - box.clientHeight) / (total - box.clientHeight) : 1;
        const y = i * height / scale;
        if (y < box.scrollTop || y > box.scrollTop + box.clientHeight - 2 * height) box.scrollTop = Math.max(0, y - box.clientHeight / 3);
        show();
      },
    };
  }

  const letter = r => r[LETTER] ? r[LETTER] + " " : "";
  const arrow = r => r[STREAM] === "c2s" ? "→" : r[STREAM] === "s2c" ? "←" : "┆";
  const title = r => vis((names[r[METHOD]] || "") + (r[TARGET] ? " " + names[r[TARGET]] : ""));
  const sign = ["", "ℹ", "⚠", "✖"];
  // A failed response says how; the error of a legacy server that was asked for the modern protocol is none.
  const fails = r => r[KIND] === "error" && !r[STATE] ? "error" : r[STATE] === "tool error" ? r[STATE] : "";

  // JSON is read by hand: numbers, escapes and members that stand twice are shown as they were sent.
  function parse(s) {
    let i = 0;
    const fail = () => { throw new SyntaxError("not JSON"); };
    const blank = () => { while (i < s.length && " \t\r\n".includes(s[i])) i++; };
    const string = () => { const from = i++; while (i < s.length && s[i] !== '"') i += s[i] === "\\" ? 2 : 1; if (i >= s.length) fail(); return s.slice(from, ++i); };
    function value() {
      blank();
      const c = s[i];
      if (c === '"') return { t: "s", raw: string() };
      if (c !== "{" && c !== "[") { const from = i; while (i < s.length && !',]}" \t\r\n'.includes(s[i])) i++; const raw = s.slice(from, i); try { JSON.parse(raw); } catch { fail(); } return { t: "v", raw }; }
      const node = { t: c, kids: [] }, end = c === "{" ? "}" : "]";
      i++; blank();
      if (s[i] === end) { i++; return node; }
      for (;;) {
        let key;
        blank();
        if (c === "{") { if (s[i] !== '"') fail(); key = string(); blank(); if (s[i++] !== ":") fail(); }
        node.kids.push([key, value()]);
        blank();
        if (s[i] === end) { i++; return node; }
        if (s[i++] !== ",") fail();
      }
    }
    const v = value();
    blank();
    if (i < s.length) fail();
    return v;
  }

  const longest = 2000;
  function leaf(key, node) {
    const line = el("div", "leaf");
    if (key !== undefined) line.append(el("span", "k", vis(key)), ": ");
    const v = el("span", node.t === "s" ? "s" : "v", vis(node.raw.slice(0, longest)));
    line.append(v);
    if (node.raw.length > longest) {
      const more = el("button", "", "… " + (node.raw.length - longest) + " more");
      more.onclick = () => { v.textContent = vis(node.raw); more.remove(); };
      line.append(more);
    }
    return line;
  }
  function tree(key, node, depth) {
    if (!node.kids || node.kids.length === 0) return leaf(key, node.kids ? { t: "v", raw: node.t === "{" ? "{}" : "[]" } : node);
    const d = el("details"), head = el("summary");
    if (key !== undefined) head.append(el("span", "k", vis(key)), ": ");
    head.append(el("span", "dim", node.t === "{" ? "{ " + node.kids.length + " }" : "[ " + node.kids.length + " ]"));
    d.append(head);
    let shown = 0;
    const more = () => {
      const to = Math.min(node.kids.length, shown + 200);
      for (; shown < to; shown++) d.append(tree(node.kids[shown][0], node.kids[shown][1], depth + 1));
      if (shown < node.kids.length) { const b = el("button", "", "… " + (node.kids.length - shown) + " more"); b.onclick = () => { b.remove(); more(); }; d.append(b); }
    };
    d.addEventListener("toggle", () => { if (d.open && shown === 0) more(); });
    if (depth < 4 && node.kids.length <= 60) { more(); d.open = true; }
    return d;
  }

  let order = rows.map((_, i) => i), chosen = -1;
  const place = new Map();
  const detail = document.getElementById("detail"), frameBox = document.getElementById("framelist");
  const frames = list(frameBox, 22, () => order.length, at => {
    const i = order[at], r = rows[i], e = el("div", "row " + r[STREAM] + (fails(r) || r[KIND] === "text" ? " bad" : r[KIND] === "error" ? " refused" : "") + (i === chosen ? " on" : ""));
    let what = r[METHOD] ? title(r) : vis(String(body(i)).slice(0, 300)).replace(/\n/g, "␊");
    if (["proc", "io", "gap"].includes(r[KIND])) what = "● " + title(r); else what = arrow(r) + " " + what;
    what = letter(r) + what;
    if (fails(r) || r[KIND] === "error") what += "  " + (fails(r) || r[STATE]);
    e.append(el("span", "n", r[N] || ""), el("span", "t", (r[T] / 1e6).toFixed(3)), el("span", sign[r[SEV]] ? ["", "info", "warning", "error"][r[SEV]] : "", sign[r[SEV]] || " "),
      el("span", "what", what), el("span", "id", vis(r[ID])), el("span", "ms", r[KIND] === "request" ? (r[LAT] < 0 ? r[STATE] : "") : ms(r[LAT])), el("span", "len", r[LEN] ? size(r[LEN]) : ""));
    e.onclick = () => choose(i);
    return e;
  });

  function choose(i, reveal) {
    chosen = i;
    const r = rows[i], text = String(body(i));
    detail.replaceChildren();
    detail.append(el("h3", "", letter(r) + "#" + r[N] + " " + arrow(r) + " " + (title(r) || r[KIND])));
    const facts = el("p", "dim", [r[KIND], (r[T] / 1e6).toFixed(6) + " s", r[ID] && "id " + vis(r[ID]), r[LAT] >= 0 && ms(r[LAT]), r[LEN] && size(r[LEN]), r[STATE]].filter(Boolean).join(" · "));
    if (r[PAIR] >= 0) { const b = el("button", "", r[KIND] === "request" ? "its response (o)" : "its request (o)"); b.onclick = () => choose(r[PAIR], true); facts.append(" ", b); }
    detail.append(facts);
    for (const f of data.findings[i] || []) {
      const p = el("p", f.severity, sign[{ info: 1, warning: 2, error: 3 }[f.severity]] + " " + f.rule + ": " + vis(f.message));
      if (f.hint) p.append(el("br"), el("span", "hint", "→ " + f.hint));
      detail.append(p);
    }
    if (text) {
      const view = el("div", "json");
      try { view.append(tree(undefined, parse(text), 0)); } catch { view.replaceChildren(el("pre", "", vis(text))); }
      detail.append(view);
    }
    if (data.cut[i]) detail.append(el("p", "dim", "… " + size(data.cut[i]) + " more in the recording"));
    detail.scrollTop = 0;
    frames.redraw();
    if (reveal) { if (!place.size && order.length !== rows.length) order.forEach((o, at) => place.set(o, at)); const at = order.length === rows.length ? i : place.get(i); if (at !== undefined) frames.reveal(at); }
  }

  // Searching looks at names, ids and whole bodies, a part at a time.
  const box = document.getElementById("search"), count = document.getElementById("count");
  const frameCount = rows.length + (rows.length === 1 ? " frame" : " frames");
  let round = 0;
  async function search() {
    const mine = ++round, word = box.value.toLowerCase(), found = [];
    for (let i = 0; i < rows.length; i++) {
      const r = rows[i];
      if (!word || (title(r) + " " + r[KIND] + " " + r[STREAM]).toLowerCase().includes(word) || String(body(i)).toLowerCase().includes(word)) found.push(i);
      if (i % 5000 === 4999) { await new Promise(f => setTimeout(f)); if (mine !== round) return; }
    }
    order = found; place.clear();
    count.textContent = word ? found.length + " of " + frameCount : frameCount;
    frameBox.scrollTop = 0;
    frames.redraw();
  }
  let soon;
  box.addEventListener("input", () => { clearTimeout(soon); soon = setTimeout(search, 150); });
  count.textContent = frameCount;

  frameBox.addEventListener("keydown", e => {
    const at = order.indexOf(chosen), step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 20, PageUp: -20 }[e.key];
    if (step) { const next = order[Math.max(0, Math.min(order.length - 1, at + step))]; if (next !== undefined) { choose(next, true); e.preventDefault(); } }
    if (e.key === "o" && chosen >= 0 && rows[chosen][PAIR] >= 0) choose(rows[chosen][PAIR], true);
  });

  // Operations: what belongs to one act of the user stands in one line.
  const ops = [], byOp = new Map();
  let last = 0;
  rows.forEach((r, i) => {
    last = Math.max(last, r[T]);
    if (r[KIND] !== "request") return;
    const key = r[LETTER] + ":" + r[OP];
    let op = r[OP] && byOp.get(key);
    if (!op) { op = { first: i, parts: [] }; ops.push(op); if (r[OP]) byOp.set(key, op); }
    op.parts.push(i);
  });
  const end = i => rows[i][LAT] >= 0 ? rows[i][T] + rows[i][LAT] : last;
  const start = ops.length ? Math.min(...ops.slice(0, 1).map(o => rows[o.first][T])) : 0, span = Math.max(1, last - start);
  const opBox = document.getElementById("oplist");
  list(opBox, 22, () => ops.length, at => {
    const op = ops[at], r = rows[op.first], e = el("div", "row " + r[STREAM]);
    e.append(el("span", "label what", letter(r) + arrow(r) + " " + title(r) + (r[ID] ? " (" + vis(r[ID]) + ")" : "")));
    const track = el("span", "track");
    let until = 0;
    for (const i of op.parts) {
      const q = rows[i], b = el("span", "bar" + (q[STATE] === "error" ? " fail" : q[LAT] < 0 ? " open" : ""));
      b.style.left = 100 * (q[T] - start) / span + "%";
      b.style.width = 100 * (end(i) - q[T]) / span + "%";
      track.append(b);
      until = Math.max(until, end(i));
    }
    const open = op.parts.some(i => rows[i][LAT] < 0);
    e.append(track, el("span", "ms", open ? r[STATE] : ms(until - r[T])));
    e.onclick = () => { choose(op.first, true); document.getElementById("frames").scrollIntoView(); };
    return e;
  });
  const axis = document.getElementById("axis");
  for (let i = 0; i <= 4; i++) { const s = el("span", "", ms(Math.round(span * i / 4))); s.style.left = 25 * i + "%"; axis.append(s); }
  document.getElementById("opcount").textContent = ops.length;

  // stderr
  const errs = [];
  rows.forEach((r, i) => { if (r[STREAM] === "err" && r[KIND] === "stderr") errs.push(i); });
  const errBox = document.getElementById("errlist");
  if (errBox) list(errBox, 22, () => errs.length, at => {
    const i = errs[at], e = el("div", "row");
    e.append(el("span", "t", (rows[i][T] / 1e6).toFixed(3)), el("span", "", letter(rows[i]) + vis(String(body(i)).slice(0, 2000))));
    e.onclick = () => { choose(i, true); document.getElementById("frames").scrollIntoView(); };
    return e;
  });

  const index = new Map(rows.map((r, i) => [r[LETTER] + r[N], i]));
  for (const a of document.querySelectorAll("a[data-n]")) a.addEventListener("click", () => { const i = index.get(a.dataset.n); if (i !== undefined) choose(i, true); });
  document.documentElement.classList.add("scripted");
  requestAnimationFrame(() => { for (const b of [frameBox, opBox, errBox]) if (b) b.dispatchEvent(new Event("scroll")); });
  if (rows.length) choose(data.look, true);
})();
