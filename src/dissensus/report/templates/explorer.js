"use strict";
(() => {
  const get = (id) => document.getElementById(id);
  if (!get("explorer")) return;
  const H = JSON.parse(get("explorer-header").textContent);
  const NONE = -128, ROWS = 200;
  const S = H.systems.length, T = H.topics.length, A = H.assessors.length;
  const state = { m: 0, a: 0, b: Math.min(1, S - 1), find: "", audited: false, sort: "difference", down: true, t: -1, order: "doubt", doc: "", spec: 0 };
  let D = null, ids = null, texts = {}, facts = null;

  // ── unpacking ──
  const unpack = async () => {
    const raw = Uint8Array.from(atob(get("explorer-data").textContent), (c) => c.charCodeAt(0));
    get("explorer-data").remove();
    const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate"));
    const buffer = await new Response(stream).arrayBuffer();
    const kinds = { float32: Float32Array, uint32: Uint32Array, int32: Int32Array, int8: Int8Array, uint8: Uint8Array };
    const out = {};
    for (const [name, place] of Object.entries(H.arrays)) out[name] = new kinds[place.type](buffer, place.at, place.length);
    return out;
  };

  // ── facts about topics, once ──
  const topicFacts = () => {
    const disagree = new Float32Array(T), audited = new Float32Array(T), unjudged = new Float32Array(T);
    for (let t = 0; t < T; t++) {
      let pairs = 0, differ = 0, gold = 0, judged = 0, shown = 0, blank = 0;
      for (let d = D.bounds[t]; d < D.bounds[t + 1]; d++) {
        let any = false;
        for (let i = 0; i < A; i++) {
          const x = D.labels[d * A + i];
          if (x === NONE) continue;
          any = true;
          for (let j = i + 1; j < A; j++) {
            const y = D.labels[d * A + j];
            if (y !== NONE) { pairs++; if (x !== y) differ++; }
          }
        }
        if (any) judged++;
        if (D.gold[d] !== NONE) gold++;
      }
      for (let s = 0; s < S; s++) {
        const at = t * S + s;
        for (let k = D.shownBounds[at]; k < D.shownBounds[at + 1]; k++) {
          shown++;
          const doc = D.shown[k];
          if (doc < 0) { blank++; continue; }
          let any = false;
          for (let i = 0; i < A && !any; i++) any = D.labels[(D.bounds[t] + doc) * A + i] !== NONE;
          if (!any) blank++;
        }
      }
      disagree[t] = pairs ? differ / pairs : NaN;
      audited[t] = judged ? gold / judged : NaN;
      unjudged[t] = shown ? blank / shown : NaN;
    }
    return { disagree, audited, unjudged };
  };

  const score = (t, s) => D.scores[(state.m * T + t) * S + s];
  const number = (x, digits = 3) => (Number.isNaN(x) || x === undefined ? "–" : x.toFixed(digits));
  const share = (x) => (Number.isNaN(x) ? "–" : Math.round(100 * x) + " %");
  const grade = (g) => (g === NONE ? "" : H.grades[g] ?? String(g));
  // control and direction characters are shown, never obeyed
  const visible = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (c) => (c < "\u0100" ? "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0") : "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")));
  const make = (tag, text, kind) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = visible(text); if (kind) e.className = kind; return e; };

  // ── topics ──
  const columns = () => [
    ["topic", "topic", (t) => H.topics[t], false],
    ...(H.queries.some(Boolean) ? [["query", "query", (t) => H.queries[t], false]] : []),
    ["a", H.systems[state.a], (t) => score(t, state.a), true],
    ...(S > 1 ? [["b", H.systems[state.b], (t) => score(t, state.b), true], ["difference", "difference", (t) => score(t, state.a) - score(t, state.b), true]] : []),
    ...(A > 1 ? [["disagree", "assessors differ", (t) => facts.disagree[t], true, share]] : []),
    ["audited", "audited", (t) => facts.audited[t], true, share],
    ["unjudged", "shown, no label", (t) => facts.unjudged[t], true, share],
  ];
  const sorted = (rows, value, numeric, down) => rows.sort((p, q) => {
    const x = value(p), y = value(q);
    if (numeric) { if (Number.isNaN(x)) return Number.isNaN(y) ? 0 : 1; if (Number.isNaN(y)) return -1; return down ? y - x : x - y; }
    const order = String(x).localeCompare(String(y), undefined, { numeric: true });
    return down ? -order : order;
  });
  const showTopics = () => {
    const cols = columns(), table = get("x-topics");
    const chosen = cols.find((c) => c[0] === state.sort) ?? cols[0];
    const find = state.find.trim().toLowerCase();
    let rows = [...Array(T).keys()].filter((t) => !find || H.topics[t].toLowerCase().includes(find) || H.queries[t].toLowerCase().includes(find));
    if (state.audited) rows = rows.filter((t) => facts.audited[t] > 0);
    const total = rows.length;
    rows = sorted(rows, chosen[2], chosen[3], state.down).slice(0, ROWS);
    const head = make("tr");
    for (const c of cols) {
      const th = make("th", undefined, c[3] ? "number" : "");
      th.scope = "col";
      th.setAttribute("aria-sort", c[0] === chosen[0] ? (state.down ? "descending" : "ascending") : "none");
      const button = make("button", c[1], "sort");
      button.type = "button"; button.dataset.key = c[0];
      th.append(button); head.append(th);
    }
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...rows.map((t) => {
      const line = make("tr");
      if (t === state.t) line.className = "chosen";
      cols.forEach((c, i) => {
        const value = c[2](t);
        const cell = make("td", i ? (c[3] ? (c[4] ?? number)(value) : value) : undefined, c[3] ? "number" : i ? "long" : "");
        if (!i) { const open = make("button", value, "link"); open.type = "button"; open.dataset.topic = t; cell.append(open); }
        if (c[0] === "difference" && value) cell.classList.add((value > 0) !== H.lower[state.m] ? "better" : "worse");
        line.append(cell);
      });
      return line;
    }));
    get("x-more").textContent = total > ROWS ? `${ROWS} of ${total} topics are shown: sort or search for the others.` : `${total} topics.`;
  };

  // ── one topic's documents ──
  const ranksOf = (t) => {
    const rank = new Map();
    for (let s = 0; s < S; s++) {
      const from = D.shownBounds[t * S + s], to = D.shownBounds[t * S + s + 1];
      for (let k = from; k < to; k++) {
        const doc = D.shown[k];
        if (doc < 0) continue;
        if (!rank.has(doc)) rank.set(doc, new Uint16Array(S));
        rank.get(doc)[s] = k - from + 1;
      }
    }
    return rank;
  };
  const showDocs = () => {
    const t = state.t;
    get("x-topic").hidden = t < 0;
    if (t < 0) return;
    const ranks = ranksOf(t), from = D.bounds[t], n = D.bounds[t + 1] - from;
    get("x-topic-title").textContent = visible(`Topic ${H.topics[t]}` + (H.queries[t] ? `: ${H.queries[t]}` : ""));
    get("x-topic-facts").textContent = `${n} documents listed; assessors differ on ${share(facts.disagree[t])} of their pairs of labels.` + (H.hidden ? ` ${H.hidden} documents without a label are not listed: there are too many.` : "");
    const row = (d) => {
      const labels = [...Array(A).keys()].map((i) => D.labels[(from + d) * A + i]);
      const known = labels.filter((x) => x !== NONE);
      const r = ranks.get(d);
      const at = r ? r[state.a] : 0, other = r ? r[state.b] : 0;
      const shownBy = r ? r.reduce((k, x) => k + (x > 0), 0) : 0;
      const gold = D.gold[from + d];
      return { d, id: ids[from + d], labels, gold, at, other, shownBy, spread: known.length ? Math.max(...known) - Math.min(...known) : -1,
        doubt: gold === NONE ? -1 : Math.max(0, ...(H.judge < 0 ? known : [labels[H.judge]]).filter((x) => x !== NONE).map((x) => Math.abs(x - gold))) };
    };
    const find = state.doc.trim().toLowerCase();
    let rows = [...Array(n).keys()].map(row).filter((r) => !find || r.id.toLowerCase().includes(find) || (texts[r.id] ?? "").toLowerCase().includes(find));
    const rank = (r) => (r.at || 1e6) + (r.other || 1e6) / 1e7;
    const key = { doubt: (r) => -r.doubt * 1e7 + rank(r), rank, spread: (r) => -r.spread * 1e7 + rank(r) }[state.order];
    const total = rows.length;
    rows = rows.sort((p, q) => key(p) - key(q)).slice(0, ROWS);
    const head = make("tr");
    const names = ["document", `rank in ${H.systems[state.a]}`, ...(S > 1 ? [`rank in ${H.systems[state.b]}`] : []), "shown by", ...(H.expert ? ["expert"] : []), ...H.assessors];
    names.forEach((name, i) => { const th = make("th", name, i ? "number plain" : "plain"); th.scope = "col"; head.append(th); });
    get("x-docs").tHead.replaceChildren(head);
    get("x-docs").tBodies[0].replaceChildren(...rows.map((r) => {
      const line = make("tr");
      const first = make("td");
      if (texts[r.id]) { const box = make("details"); box.append(make("summary", r.id)); box.append(make("p", texts[r.id], "text")); first.append(box); first.className = "long"; } else first.textContent = visible(r.id);
      line.append(first);
      line.append(make("td", r.at || "–", "number"));
      if (S > 1) line.append(make("td", r.other || "–", "number"));
      line.append(make("td", `${r.shownBy} of ${S}`, "number"));
      if (H.expert) line.append(make("td", r.gold === NONE ? "" : grade(r.gold), "number gold"));
      r.labels.forEach((x) => line.append(make("td", grade(x), "number" + (r.gold !== NONE && x !== NONE && x !== r.gold ? " differs" : ""))));
      return line;
    }));
    get("x-docs-more").textContent = total > ROWS ? `${ROWS} of ${total} documents are shown.` : "";
  };

  // ── what if: means of systems under other labels, other measures ──
  const meansOf = (k) => D.means.subarray(k * S, (k + 1) * S);
  const rankOf = (k) => {
    const means = meansOf(k), lower = H.lower[H.measures.indexOf(H.specifications[k].measure)];
    const order = [...Array(S).keys()].sort((p, q) => (lower ? means[p] - means[q] : means[q] - means[p]));
    const rank = new Uint16Array(S);
    order.forEach((s, i) => { rank[s] = i && means[s] === means[order[i - 1]] ? rank[order[i - 1]] : i + 1; });
    return { order, rank };
  };
  const showSpecifications = () => {
    const n = H.specifications.length;
    if (!n) return;
    const ranks = [...Array(n).keys()].map(rankOf);
    const wins = new Map();
    ranks.forEach((r) => wins.set(r.order[0], (wins.get(r.order[0]) ?? 0) + 1));
    const listed = [...wins].sort((p, q) => q[1] - p[1]).slice(0, 4).map(([s, k]) => `${visible(H.systems[s])} (${k})`).join(", ");
    get("x-spec-answer").textContent = `${n} choices of labels and measure; first by mean score: ${listed}${wins.size > 4 ? " …" : ""}. Means alone: the intervals above say what may be concluded.`;
    const chosen = H.specifications[state.spec], means = meansOf(state.spec), rank = ranks[state.spec];
    const top = make("tr");
    ["rank", "system", `mean ${chosen.measure}`].forEach((name, i) => { const th = make("th", name, i === 1 ? "plain" : "number plain"); th.scope = "col"; top.append(th); });
    get("x-means").tHead.replaceChildren(top);
    get("x-means").tBodies[0].replaceChildren(...rank.order.slice(0, 50).map((s) => {
      const line = make("tr");
      line.append(make("td", rank.rank[s], "number"), make("td", H.systems[s]), make("td", number(means[s], 4), "number"));
      return line;
    }));
    const head = make("tr");
    const corner = make("th", "rank under", "plain"); corner.scope = "col"; head.append(corner);
    H.specifications.forEach((x) => { const th = make("th", `${x.name}, ${x.measure}`, "plain turned"); th.scope = "col"; head.append(th); });
    get("x-curve").tHead.replaceChildren(head);
    get("x-curve").tBodies[0].replaceChildren(...ranks[0].order.slice(0, 30).map((s) => {
      const line = make("tr"), name = make("th", H.systems[s], "plain");
      name.scope = "row"; line.append(name);
      ranks.forEach((r) => { const cell = make("td", r.rank[s], "number" + (r.rank[s] === 1 ? " first" : "")); line.append(cell); });
      return line;
    }));
  };

  // ── state in the address, so that a finding can be sent ──
  const write = () => {
    const q = new URLSearchParams({ m: state.m, a: state.a, b: state.b, sort: state.sort, down: Number(state.down), order: state.order });
    if (state.t >= 0) q.set("topic", H.topics[state.t]);
    if (state.find) q.set("find", state.find);
    if (state.audited) q.set("audited", 1);
    history.replaceState(null, "", "#explore?" + q);
  };
  const readState = () => {
    if (!location.hash.startsWith("#explore?")) return false;
    const q = new URLSearchParams(location.hash.slice(9));
    const index = (name, most) => { const x = Number(q.get(name)); return Number.isInteger(x) && x >= 0 && x < most ? x : 0; };
    Object.assign(state, { m: index("m", H.measures.length), a: index("a", S), b: index("b", S), sort: q.get("sort") ?? state.sort,
      down: q.get("down") !== "0", find: q.get("find") ?? "", audited: q.get("audited") === "1",
      order: ["doubt", "rank", "spread"].includes(q.get("order")) ? q.get("order") : "doubt", t: H.topics.indexOf(q.get("topic") ?? "") });
    return true;
  };
  const options = (id, names, value) => { get(id).replaceChildren(...names.map((name, i) => { const o = make("option", name); o.value = i; return o; })); get(id).value = value; };
  const refresh = () => { showTopics(); showDocs(); };
  const listen = () => {
    for (const [id, key] of [["x-measure", "m"], ["x-a", "a"], ["x-b", "b"]]) get(id).addEventListener("change", (e) => { state[key] = Number(e.target.value); refresh(); write(); });
    get("x-find").addEventListener("input", (e) => { state.find = e.target.value; showTopics(); write(); });
    get("x-audited").addEventListener("change", (e) => { state.audited = e.target.checked; showTopics(); write(); });
    get("x-order").addEventListener("change", (e) => { state.order = e.target.value; showDocs(); write(); });
    get("x-find-doc").addEventListener("input", (e) => { state.doc = e.target.value; showDocs(); });
    get("x-spec").addEventListener("change", (e) => { state.spec = Number(e.target.value); showSpecifications(); });
    get("x-topics").addEventListener("click", (event) => {
      const sort = event.target.closest("button.sort"), open = event.target.closest("button.link");
      if (sort) { const same = state.sort === sort.dataset.key; state.down = same ? !state.down : true; state.sort = sort.dataset.key; showTopics(); write(); get("x-topics").querySelector(`[data-key="${state.sort}"]`).focus(); }
      if (open) { state.t = Number(open.dataset.topic); refresh(); write(); get("x-topic-title").focus(); }
    });
    get("x-topics").addEventListener("keydown", (event) => {
      const here = event.target.closest("button.link");
      if (!here || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
      const all = [...get("x-topics").querySelectorAll("button.link")];
      const next = all[all.indexOf(here) + (event.key === "ArrowDown" ? 1 : -1)];
      if (next) { event.preventDefault(); next.focus(); }
    });
  };
  const start = async () => {
    try {
      const began = performance.now();
      D = await unpack();
      const decode = new TextDecoder();
      ids = decode.decode(D.ids).split("\n");
      texts = JSON.parse(decode.decode(D.texts));
      facts = topicFacts();
      const linked = readState();
      options("x-measure", H.measures, state.m); options("x-a", H.systems, state.a); options("x-b", H.systems, state.b);
      options("x-spec", H.specifications.map((x) => `${x.name}, ${x.measure}`), 0);
      get("x-find").value = state.find; get("x-audited").checked = state.audited; get("x-order").value = state.order;
      refresh(); showSpecifications(); listen();
      get("explorer").hidden = false;
      get("explore-state").textContent = `Scores by topic, and what the systems show down to rank ${H.depth}. Click a topic to see its documents; the address of this page keeps what you chose.`;
      document.documentElement.dataset.explorer = String(Math.round(performance.now() - began));
      if (linked) { const box = get("explore").closest("details"); if (box) box.open = true; get("explore").scrollIntoView(); }
    } catch (error) {
      get("explore-state").textContent = "The explorer could not start: " + error.message;
      console.error(error);
    }
  };
  addEventListener("load", start);
})();
