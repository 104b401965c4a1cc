"use strict";
(() => {
  const get = (id) => document.getElementById(id);
  if (!get("explorer")) return;
  const H = JSON.parse(get("explorer-header").textContent);
  const NONE = -128, ROWS = 40;  // rows drawn at once: a click must not take longer than 50 ms
  const collator = new Intl.Collator(undefined, { numeric: true });
  const S = H.systems.length, T = H.topics.length, A = H.assessors.length;
  const FIRST = Math.max(0, H.systems.indexOf(H.order[0])), SECOND = Math.max(0, H.systems.indexOf(H.order[Math.min(1, S - 1)]));
  const state = { m: 0, a: FIRST, b: SECOND, find: "", audited: false, sort: "difference", down: true, t: -1, order: "doubt", only: "all", doc: "", labels: 0, sm: 0, ties: 0, rows: ROWS };
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
    ...(H.expert ? [["audited", "audited", (t) => facts.audited[t], true, share]] : []),
    ...(H.documents ? [["unjudged", "shown, no label", (t) => facts.unjudged[t], true, share]] : []),
  ];
  const sorted = (rows, value, numeric, down) => rows.sort((p, q) => {
    const x = value(p), y = value(q);
    if (numeric) { if (Number.isNaN(x)) return Number.isNaN(y) ? 0 : 1; if (Number.isNaN(y)) return -1; return down ? y - x : x - y; }
    const order = collator.compare(String(x), String(y));
    return down ? -order : order;
  });
  const showTopics = () => {
    const cols = columns(), table = get("x-topics");
    const chosen = cols.find((c) => c[0] === state.sort) ?? cols[0];
    const find = state.find.trim().toLowerCase();
    let rows = [...Array(T).keys()].filter((t) => !find || H.topics[t].toLowerCase().includes(find) || H.queries[t].toLowerCase().includes(find));
    if (state.audited) rows = rows.filter((t) => facts.audited[t] > 0);
    const total = rows.length;
    rows = sorted(rows, chosen[2], chosen[3], state.down).slice(0, state.rows);
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
      line.dataset.t = t;
      if (t === state.t) line.className = "chosen";
      cols.forEach((c, i) => {
        const value = c[2](t);
        const cell = make("td", i ? (c[3] ? (c[4] ?? number)(value) : value) : undefined, c[3] ? "number" : i ? "long" : "");
        if (!i && !H.documents) cell.textContent = visible(value);
        else if (!i) { const open = make("button", value, "link"); open.type = "button"; open.dataset.topic = t; cell.append(open); }
        if (c[0] === "difference" && value) cell.classList.add((value > 0) !== H.lower[state.m] ? "better" : "worse");
        line.append(cell);
      });
      return line;
    }));
    get("x-more").textContent = total > rows.length ? `${rows.length} of ${total} topics are shown: sort, search, or ` : `${total} topics.`;
    if (total > rows.length) { const more = make("button", "show more", "link"); more.type = "button"; more.id = "x-more-topics"; get("x-more").append(more); }
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
  // the judge beside the expert, then the other assessors; the two systems chosen, then the others where there are few
  const ALL_SYSTEMS = 12;
  const assessorOrder = () => [...(H.judge >= 0 ? [H.judge] : []), ...[...Array(A).keys()].filter((i) => i !== H.judge)];
  const rankColumns = () => {
    const chosen = [...new Set(S > 1 ? [state.a, state.b] : [state.a])];
    return S <= ALL_SYSTEMS ? [...chosen, ...[...Array(S).keys()].filter((x) => !chosen.includes(x))] : chosen;
  };
  const documentRows = (t) => {
    const ranks = ranksOf(t), from = D.bounds[t], none = new Uint16Array(S);
    return [...Array(D.bounds[t + 1] - from).keys()].map((d) => {
      const labels = [...Array(A).keys()].map((i) => D.labels[(from + d) * A + i]);
      const known = labels.filter((x) => x !== NONE), r = ranks.get(d) ?? none, gold = D.gold[from + d];
      const held = (H.judge < 0 ? known : [labels[H.judge]]).filter((x) => x !== NONE);
      return { id: ids[from + d], labels, gold, ranks: r, labelled: known.length,
        shownBy: r.reduce((k, x) => k + (x > 0), 0),
        spread: known.length ? Math.max(...known) - Math.min(...known) : -1,
        doubt: gold === NONE ? -1 : Math.max(0, ...held.map((x) => Math.abs(x - gold))) };
    });
  };
  const FILTERS = {
    all: () => true, audited: (r) => r.gold !== NONE, doubt: (r) => r.doubt > 0, spread: (r) => r.spread > 0,
    unjudged: (r) => !r.labelled && r.gold === NONE,
  };
  const documentLine = (r) => {
    const line = make("tr"), first = make("td");
    if (texts[r.id]) {
      const box = make("details");
      box.append(make("summary", r.id), make("p", texts[r.id], "text"));
      first.append(box); first.className = "long";
    } else first.textContent = visible(r.id);
    line.append(first);
    if (H.expert) line.append(make("td", r.gold === NONE ? "" : grade(r.gold), "number" + (r.gold === NONE ? "" : " gold")));
    for (const i of assessorOrder()) line.append(make("td", grade(r.labels[i]), "number" + (r.gold !== NONE && r.labels[i] !== NONE && r.labels[i] !== r.gold ? " differs" : "")));
    line.append(make("td", `${r.shownBy} of ${S}`, "number"));
    for (const x of rankColumns()) line.append(make("td", r.ranks[x] || "–", "number"));
    return line;
  };
  const showDocs = () => {
    const t = state.t;
    get("x-topic").hidden = t < 0 || !H.documents;
    if (t < 0 || !H.documents) return;
    const all = documentRows(t), gold = all.filter((r) => r.gold !== NONE).length, apart = all.filter((r) => r.doubt > 0).length;
    get("x-topic-title").textContent = visible(`Topic ${H.topics[t]}` + (H.queries[t] ? `: ${H.queries[t]}` : ""));
    get("x-topic-facts").textContent = `${all.length} documents.` + (H.expert ? ` Experts graded ${gold}; ${H.judge < 0 ? "some assessor differs from them" : "the judge differs from them"} on ${apart}.` : "")
      + (A > 1 ? ` Assessors differ on ${share(facts.disagree[t])} of their pairs of labels.` : "")
      + (H.hidden ? ` Documents without a label are not listed: over all topics there are too many (${H.hidden}).` : "");
    const find = state.doc.trim().toLowerCase(), keep = FILTERS[state.only] ?? FILTERS.all;
    const rank = (r) => (r.ranks[state.a] || 1e6) + (r.ranks[state.b] || 1e6) / 1e7;
    const key = { doubt: (r) => -r.doubt * 1e7 + rank(r), rank, spread: (r) => -r.spread * 1e7 + rank(r) }[state.order];
    const found = all.filter((r) => keep(r) && (!find || r.id.toLowerCase().includes(find) || (texts[r.id] ?? "").toLowerCase().includes(find)));
    const rows = found.sort((p, q) => key(p) - key(q)).slice(0, ROWS), head = make("tr");
    const names = ["document", ...(H.expert ? ["expert"] : []), ...assessorOrder().map((i) => H.assessors[i]), "shown by", ...rankColumns().map((x) => `rank in ${H.systems[x]}`)];
    names.forEach((name, i) => { const th = make("th", name, i ? "number plain" : "plain"); th.scope = "col"; head.append(th); });
    get("x-docs").tHead.replaceChildren(head);
    get("x-docs").tBodies[0].replaceChildren(...rows.map(documentLine));
    get("x-docs-more").textContent = found.length > ROWS ? `${ROWS} of ${found.length} documents are shown.` : `${found.length} documents are shown.`;
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
  const unique = (key) => [...new Set(H.specifications.map((x) => x[key] ?? ""))];
  const LABELS = unique("name"), MEASURES = unique("measure"), TIES = unique("ties");
  const specOf = (name, measure, ties) => H.specifications.findIndex((x) => x.name === name && x.measure === measure && (x.ties ?? "") === ties);
  const winners = (k) => { const { order, rank } = rankOf(k); return order.filter((s) => rank[s] === 1); };
  const header = (table, names, plainFrom = 0) => {
    const top = make("tr");
    names.forEach((name, i) => { const th = make("th", name, i >= plainFrom ? "plain" : "number plain"); th.scope = "col"; top.append(th); });
    get(table).tHead.replaceChildren(top);
  };
  // who comes first under every choice: labels down, measures (and ties) across
  const showWinners = () => {
    const across = MEASURES.flatMap((m) => TIES.filter((x) => LABELS.some((n) => specOf(n, m, x) >= 0)).map((x) => [m, x]));
    header("x-curve", ["labels", ...across.map(([m, x]) => (x ? `${m}, ties ${x}` : m))]);
    get("x-curve").tBodies[0].replaceChildren(...LABELS.map((name) => {
      const line = make("tr"), row = make("th", name, "plain");
      row.scope = "row"; line.append(row);
      for (const [m, x] of across) {
        const k = specOf(name, m, x), won = k < 0 ? [] : winners(k);
        const text = won.map((s) => H.systems[s]).slice(0, 3).join(", ") + (won.length > 3 ? ` and ${won.length - 3} more` : "");
        line.append(make("td", text, k >= 0 && won.includes(FIRST) ? "first" : ""));
      }
      return line;
    }));
  };
  // the specification curve: the difference of the two systems under every choice, from the lowest to the highest
  const showSpread = () => {
    const n = H.specifications.length;
    get("x-spread-box").hidden = S < 2 || n < 2;
    if (S < 2 || n < 2) return;
    const rows = [...Array(n).keys()].map((k) => ({ k, x: meansOf(k)[state.a] - meansOf(k)[state.b] })).filter((r) => !Number.isNaN(r.x)).sort((p, q) => p.x - q.x);
    const most = Math.max(...rows.map((r) => Math.abs(r.x)), 1e-9);
    const ahead = rows.filter((r) => r.x !== 0 && (r.x > 0) !== H.lower[H.measures.indexOf(H.specifications[r.k].measure)]).length;
    get("x-spread-answer").textContent = visible(`${H.systems[state.a]} is ahead of ${H.systems[state.b]} under ${ahead} of ${rows.length} choices, by mean score alone.`);
    header("x-spread", ["difference", "", "labels, measure"], 1);
    get("x-spread").tBodies[0].replaceChildren(...rows.map(({ k, x }) => {
      const spec = H.specifications[k], line = make("tr"), cell = make("td", undefined, "wide"), track = make("span", undefined, "track"), bar = make("i"), zero = make("s");
      const from = 50 + 50 * Math.min(x, 0) / most;
      zero.style.left = "50%"; bar.style.left = `${from}%`; bar.style.width = `${50 * Math.abs(x) / most}%`;
      track.setAttribute("aria-hidden", "true"); track.append(zero, bar); cell.append(track);
      line.append(make("td", number(x, 3), "number"), cell, make("td", `${spec.name}, ${spec.measure}${spec.ties ? `, ties ${spec.ties}` : ""}`));
      return line;
    }));
  };
  const showMeans = () => {
    let k = specOf(LABELS[state.labels], MEASURES[state.sm], TIES[state.ties] ?? "");
    if (k < 0) k = specOf(LABELS[state.labels], MEASURES[state.sm], "");
    get("x-means-note").textContent = k < 0 ? "This choice was not computed." : "";
    if (k < 0) { get("x-means").tBodies[0].replaceChildren(); return; }
    const spec = H.specifications[k], means = meansOf(k), rank = rankOf(k), usual = rankOf(0).rank;
    header("x-means", ["rank", "system", `mean ${spec.measure}`, "rank in the first choice"], 4);
    get("x-means").tBodies[0].replaceChildren(...rank.order.slice(0, 50).map((s) => {
      const line = make("tr");
      line.append(make("td", rank.rank[s], "number"), make("td", H.systems[s]), make("td", number(means[s], 4), "number"), make("td", usual[s], "number" + (usual[s] === rank.rank[s] ? "" : " differs")));
      return line;
    }));
    if (S > 50) get("x-means-note").textContent = `The first 50 of ${S} systems.`;
  };
  const showSpecifications = () => {
    const n = H.specifications.length;
    if (!n) return;
    const wins = new Map();
    for (let k = 0; k < n; k++) for (const s of winners(k)) wins.set(s, (wins.get(s) ?? 0) + 1);
    const listed = [...wins].sort((p, q) => q[1] - p[1]).slice(0, 4).map(([s, k]) => `${visible(H.systems[s])} (${k})`).join(", ");
    get("x-spec-answer").textContent = `${n} choices of labels, measure and ties; first by mean score: ${listed}${wins.size > 4 ? " …" : ""}. Means alone: the intervals above say what may be concluded.`;
    showWinners(); showSpread(); showMeans();
  };

  // ── state in the address, so that a finding can be sent ──
  const write = () => {
    const q = new URLSearchParams({ m: state.m, a: state.a, b: state.b, sort: state.sort, down: Number(state.down), order: state.order, labels: state.labels, sm: state.sm });
    if (state.t >= 0) q.set("topic", H.topics[state.t]);
    if (state.find) q.set("find", state.find);
    if (state.audited) q.set("audited", 1);
    if (state.only !== "all") q.set("only", state.only);
    if (state.doc) q.set("doc", state.doc);
    if (state.ties) q.set("ties", state.ties);
    history.replaceState(null, "", "#explore?" + q);
  };
  const readState = () => {
    if (!location.hash.startsWith("#explore?")) return false;
    const q = new URLSearchParams(location.hash.slice(9));
    const index = (name, most) => { const x = q.get(name) === null ? NaN : Number(q.get(name)); return Number.isInteger(x) && x >= 0 && x < most ? x : state[name]; };
    Object.assign(state, { m: index("m", H.measures.length), a: index("a", S), b: index("b", S), sort: q.get("sort") ?? state.sort,
      down: q.get("down") !== "0", find: q.get("find") ?? "", audited: q.get("audited") === "1",
      only: q.get("only") in FILTERS ? q.get("only") : "all", doc: q.get("doc") ?? "",
      labels: index("labels", LABELS.length), sm: index("sm", MEASURES.length), ties: index("ties", TIES.length),
      order: ["doubt", "rank", "spread"].includes(q.get("order")) ? q.get("order") : "doubt", t: H.topics.indexOf(q.get("topic") ?? "") });
    return true;
  };
  const options = (id, names, value) => { get(id).replaceChildren(...names.map((name, i) => { const o = make("option", name); o.value = i; return o; })); get(id).value = value; };
  const refresh = () => { showTopics(); showDocs(); };
  const openTopic = (t) => {
    for (const line of get("x-topics").tBodies[0].rows) line.className = Number(line.dataset.t) === t ? "chosen" : "";
    state.t = t; showDocs(); write();
  };
  const listen = () => {
    get("x-more").addEventListener("click", (e) => { if (e.target.id === "x-more-topics") { state.rows += 4 * ROWS; showTopics(); } });
    for (const [id, key] of [["x-measure", "m"], ["x-a", "a"], ["x-b", "b"]]) get(id).addEventListener("change", (e) => { state[key] = Number(e.target.value); refresh(); showSpread(); write(); });
    get("x-find").addEventListener("input", (e) => { state.find = e.target.value; showTopics(); write(); });
    get("x-audited").addEventListener("change", (e) => { state.audited = e.target.checked; showTopics(); write(); });
    get("x-order").addEventListener("change", (e) => { state.order = e.target.value; showDocs(); write(); });
    get("x-find-doc").addEventListener("input", (e) => { state.doc = e.target.value; showDocs(); write(); });
    get("x-only").addEventListener("change", (e) => { state.only = e.target.value; showDocs(); write(); });
    for (const [id, key] of [["x-labels", "labels"], ["x-sm", "sm"], ["x-ties", "ties"]]) get(id).addEventListener("change", (e) => { state[key] = Number(e.target.value); showMeans(); write(); });
    get("x-topics").addEventListener("click", (event) => {
      const sort = event.target.closest("button.sort"), open = event.target.closest("button.link");
      if (sort) { const same = state.sort === sort.dataset.key; state.down = same ? !state.down : true; state.sort = sort.dataset.key; showTopics(); write(); get("x-topics").querySelector(`[data-key="${state.sort}"]`).focus(); }
      if (open) { openTopic(Number(open.dataset.topic)); get("x-topic-title").focus(); }
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
      options("x-labels", LABELS, state.labels); options("x-sm", MEASURES, state.sm); options("x-ties", TIES.map((x) => x || "as in the report"), state.ties);
      get("x-ties").closest("label").hidden = TIES.length < 2; get("x-audited").closest("label").hidden = !H.expert;
      get("x-b").closest("label").hidden = S < 2;
      get("x-find").value = state.find; get("x-audited").checked = state.audited; get("x-order").value = state.order;
      get("x-only").value = state.only; get("x-find-doc").value = state.doc;
      refresh(); showSpecifications(); listen();
      get("explorer").hidden = false;
      get("explore-state").textContent = (H.documents ? `Scores by topic, and what the systems show down to rank ${H.depth}. Click a topic to see its documents; arrow keys go from topic to topic. ` : "Scores by topic. ") + "The address of this page keeps what you chose.";
      document.documentElement.dataset.explorer = String(Math.round(performance.now() - began));
      document.documentElement.dataset.ready = String(Math.round(performance.now()));
      if (linked) { const box = get("explore").closest("details"); if (box) box.open = true; get("explore").scrollIntoView(); }
    } catch (error) {
      get("explore-state").textContent = "The explorer could not start: " + error.message;
      console.error(error);
    }
  };
  addEventListener("load", start);
})();
