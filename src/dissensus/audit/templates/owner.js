"use strict";
/* The owner's page: asks for the state, and draws it. Everything from the study goes in as text. */
(function () {
  const base = location.pathname.replace(/\/$/, "");
  const $ = (id) => document.getElementById(id);
  const number = (x, digits = 4) => (x === null || x === undefined ? "–" : x.toFixed(digits).replace("-", "−"));
  const percent = (x) => (x === null || x === undefined ? "–" : Math.round(100 * x) + "%");

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function table(id, head, rows, numeric = []) {
    const body = rows.map((row) => {
      const line = element("tr");
      row.forEach((cell, i) => {
        const td = element("td", cell instanceof Node ? null : String(cell), numeric.includes(i) ? { class: "n" } : {});
        if (cell instanceof Node) td.append(cell);
        line.append(td);
      });
      return line;
    });
    const first = element("tr");
    head.forEach((h, i) => first.append(element("th", h, { scope: "col", ...(numeric.includes(i) ? { class: "n" } : {}) })));
    $(id).replaceChildren(first, ...body);
  }

  function svg(name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function ticks(low, high, wanted) {
    const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) || raw;
    const out = [];
    for (let t = Math.ceil(low / step) * step; t <= high + 1e-12; t += step) out.push(Math.abs(t) < step / 1e6 ? 0 : t);
    return out;
  }

  function draw(state) {
    const chart = $("curve"), points = state.curve;
    const shown = state.single ? { a: state.systems[0], b: state.systems[1] } : state.pairs[state.drawn] || {};
    const ended = state.single ? state.decided_at : shown.state === "open" ? null : shown.labels;
    choices(state);
    if (!points.length) { chart.replaceChildren(svg("text", { x: 450, y: 160, "text-anchor": "middle" }, "The first label starts the curve.")); return; }
    const narrow = window.matchMedia("(max-width: 40rem)").matches, W = narrow ? 420 : 900, H = narrow ? 280 : 320;
    chart.setAttribute("viewBox", `0 0 ${W} ${H}`);
    const left = 58, right = W - 14, top = 14, bottom = H - 40;
    const most = Math.max(points[points.length - 1].labels, 10);
    const ends = state.scores ? [] : [0]; // a difference is looked at from zero, a score is not
    // the first looks are as wide as what is possible; what matters is near the end
    const tail = points.length > 40 ? points.slice(Math.floor(points.length / 8)) : points;
    let low = Math.min(...ends, ...tail.map((p) => p.low)), high = Math.max(...ends, ...tail.map((p) => p.high));
    const room = (high - low || 1) * 0.06; low -= room; high += room;
    const x = (v) => left + ((right - left) * v) / most, y = (v) => bottom - ((bottom - top) * (Math.max(low, Math.min(high, v)) - low)) / (high - low);
    const parts = [];
    for (const t of ticks(low, high, 5)) {
      parts.push(svg("line", { class: "axis", x1: left, x2: right, y1: y(t), y2: y(t) }));
      parts.push(svg("text", { x: left - 8, y: y(t) + 4, "text-anchor": "end" }, number(t, 2)));
    }
    for (const t of ticks(0, most, narrow ? 4 : 8)) parts.push(svg("text", { x: x(t), y: bottom + 18, "text-anchor": "middle" }, String(Math.round(t))));
    parts.push(svg("text", { x: right, y: bottom + 34, "text-anchor": "end" }, "labels in the committed order"));
    const up = points.map((p) => `${x(p.labels)},${y(p.high)}`), down = points.map((p) => `${x(p.labels)},${y(p.low)}`).reverse();
    parts.push(svg("polygon", { class: "band", points: [...up, ...down].join(" ") }));
    if (!state.scores) parts.push(svg("line", { class: "zero", x1: left, x2: right, y1: y(0), y2: y(0) }));
    parts.push(svg("polyline", { class: "line", points: points.map((p) => `${x(p.labels)},${y(p.estimate)}`).join(" ") }));
    if (ended !== null && ended !== undefined) {
      parts.push(svg("line", { class: "stop", x1: x(ended), x2: x(ended), y1: top, y2: bottom }));
      parts.push(svg("text", { x: x(ended) - 6, y: top + 12, "text-anchor": "end" }, state.scores ? "narrow enough" : "decided"));
    }
    if (!state.scores) {
      parts.push(svg("text", { x: right, y: top + 2, "text-anchor": "end" }, shown.a + " ahead ↑"));
      parts.push(svg("text", { x: right, y: bottom - 6, "text-anchor": "end" }, shown.b + " ahead ↓"));
    }
    chart.replaceChildren(...parts);
    const last = points[points.length - 1];
    $("curve-text").textContent = `After ${last.labels} labels the ${state.scores ? "score" : "difference"}${state.single ? "" : " of " + called(shown, state.scores)} is ${number(last.estimate)}, between ${number(last.low)} and ${number(last.high)}.`;
  }

  const called = (p, scores) => (scores ? p.a : `${p.a} against ${p.b}`);

  function choices(state) {
    const select = $("which");
    $("which-row").classList.toggle("hidden", state.single);
    if (state.single || select.children.length) return;
    select.append(element("option", "nearest to a decision", { value: "" }));
    state.pairs.forEach((p, i) => select.append(element("option", called(p, state.scores), { value: String(i) })));
    select.addEventListener("change", load);
  }

  function card(name, value, small) {
    const box = element("div");
    const dd = element("dd", value);
    if (small) dd.append(element("small", small));
    box.append(element("dt", name), dd);
    return box;
  }

  function show(state) {
    const few = state.systems.length < 3, named = state.systems.join(state.scores ? ", " : " against ");
    $("what").textContent = `${state.measure}${state.scores ? ", scores of " : ", "}${few ? named : state.systems.length + " systems"}; labels of ${state.judge} audited ${state.stop_text}; level ${percent(state.level)}.`;
    const words = state.scores
      ? { decided: "Narrow enough", "partly decided": "Some are narrow enough", undecided: "Not narrow enough yet" }
      : { decided: "Decided", "partly decided": "Partly decided", leaning: "Leaning", undecided: "Undecided so far" };
    const whole = state.labels === state.documents; // a sample has no verdict before it is closed
    const sample = state.closed !== null ? "Closed" : whole ? "All judged" : "Being judged";
    $("state").textContent = state.planned ? sample : words[state.state] || state.state;
    $("verdict").classList.toggle("decided", state.state === "decided");
    $("curve-box").classList.toggle("hidden", state.planned);
    $("sentence").textContent = state.verdict.charAt(0).toUpperCase() + state.verdict.slice(1);
    const over = state.stopped_at !== null || state.closed !== null;
    $("phase").textContent = state.closed !== null ? "The study is closed." : over ? "The stop rule is met: close the study to write the report." : "Experts are judging.";
    const pace = state.pace.median_seconds;
    $("numbers").replaceChildren(
      card("Labels that count", state.labels, `of ${state.documents} documents; ${state.waiting} out of order`),
      card("Labels to go", over ? "0" : state.outlook.labels, over ? "" : state.outlook.text),
      card("Pace", pace === null || pace < 0.5 ? "–" : Math.round(pace) + " s", `median per judgment; ${state.pace.last_hour} in the last hour`),
      card("Cannot judge", state.cannot, "counted as worst and best case"),
    );
    health(state.health);
    if (!state.planned) draw(state);
    $("pairs-box").classList.toggle("hidden", state.single || state.planned);
    $("pairs-title").textContent = state.scores ? "Scores" : "Pairs of systems";
    const known = (p) => (p.state === "precise" ? "narrow enough" : "open");
    if (!state.single && state.scores) table("pairs", ["system", "", "labels", "interval"], state.pairs.map((p) => [p.a, known(p), p.labels, `${number(p.low)} to ${number(p.high)}`]), [2]);
    else if (!state.single) table("pairs", ["a", "b", "verdict", "labels", "interval"], state.pairs.map((p) => [p.a, p.b, p.state === "better" ? p.winner + " is better" : p.leaning ? "leaning to " + p.leaning : "undecided", p.labels, `${number(p.low)} to ${number(p.high)}`]), [3]);
    const g = state.agreement.between, w = state.agreement.within;
    const share = (s, what) => (s.n ? `${what} in ${s.hits} of ${s.n} cases (${percent(s.value)}, between ${percent(s.low)} and ${percent(s.high)}).` : "");
    $("agreement").textContent = [share(g, "Two experts agreed"), share(w, "Experts repeated their own grade")].filter(Boolean).join(" ") || "No document has been judged twice yet.";
    table("experts", ["expert", "judged", "cannot judge", "open", "last seen"], state.experts.map((e) => [e.name, e.judged, e.cannot, e.open, !e.joined ? "has not opened the link" : e.idle < 120 ? "just now" : Math.round(e.idle / 60) + " min ago"]), [1, 2, 3]);
    $("disputed-box").classList.toggle("hidden", !state.disputed.length);
    table("disputed", ["draw", "topic", "document", "first", "second", "third view"], state.disputed.map((d) => [d.draw, d.topic, d.doc, d.grades[0], d.grades[1], d.adjudicated !== null ? d.adjudicated : state.closed ? "–" : third(d, state.grades)]), [0]);
    const rows = Object.entries(state.confusion).sort();
    $("judge-text").textContent = rows.length ? `Documents by the label of ${state.judge} (rows) and the experts' grade; counts of a weighted sample, not shares.` : "No labels yet.";
    table("confusion", [state.judge, ...state.grades.map((x) => x.grade)], rows.map(([k, v]) => [k, ...state.grades.map((x) => v[x.grade])]), state.grades.map((_, i) => i + 1));
    const closed = state.closed !== null;
    $("close-row").classList.toggle("hidden", closed);
    $("close").disabled = state.labels === 0 || (state.planned && state.labels < state.documents);
    $("files").classList.toggle("hidden", !closed);
    if (closed && !$("files").children.length) {
      for (const [file, text] of [["report.html", "Report"], ["audit.csv", "audit.csv"], ...(state.planned ? [["audit.frame.parquet", "its frame: keep it beside audit.csv"]] : []), ...(state.scores ? [["scores.csv", "Corrected scores"]] : []), ...(state.systems.length > 1 ? [["differences.csv", "Corrected differences"]] : []), ["log.csv", "Log"], ["record.json", "Closing record"]])
        $("files").append(element("a", text, { href: base + "/" + file, ...(file === "report.html" ? { target: "_blank", rel: "noopener" } : { download: file }) }));
    }
    $("close-text").textContent = closed ? `Closed; ${state.counted} labels count.` : state.stopped_at !== null ? `The stop rule (${state.stop}) was met after ${state.stopped_at} labels. Assessors get no more documents.` : state.planned ? `All ${state.documents} documents of the sample are judged before the study can be closed.` : `Judging goes on ${state.stop_text}. This rule (${state.stop}) was fixed at the start; closing earlier is possible, and the interval still holds.`;
    $("committed").textContent = state.commitment ? "Committed before the first label: " + state.commitment : "Made before studies were sealed. Hash of the order: " + state.order_hash;
    $("notice").textContent = state.notes.join(" ");
    $("notice").classList.toggle("hidden", !state.notes.length);
  }

  function health(h) {
    const free = h.free_bytes === null ? "" : ` ${(h.free_bytes / 1e9).toFixed(1)} GB of disk are free.`;
    const up = h.up < 7200 ? Math.round(h.up / 60) + " minutes" : Math.round(h.up / 3600) + " hours";
    const trouble = h.trouble === null ? " No trouble." : ` Last trouble, ${Math.round(h.trouble.ago / 60)} minutes ago: ${h.trouble.what}`;
    $("health").textContent = `Up for ${up}. ${h.answers} answers; ${h.refused} requests refused, ${h.failed} failed.${free}${trouble}`;
  }

  function third(dispute, grades) {
    const box = element("span", null, { class: "third" });
    for (const grade of grades) {
      const button = element("button", grade.grade, { type: "button", title: grade.name, "aria-label": `Draw ${dispute.draw}: ${grade.name}` });
      button.addEventListener("click", async () => { await post("/adjudicate", { draw: dispute.draw, grade: grade.grade }); load(); });
      box.append(button);
    }
    return box;
  }

  async function post(path, body) {
    const answer = await fetch(base + path, { method: "POST", credentials: "omit", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    if (!answer.ok) {
      const reason = (await answer.json().catch(() => ({}))).error;
      $("notice").textContent = reason || "The server refused this.";
      $("notice").classList.remove("hidden");
    }
    return answer.ok;
  }

  async function load() {
    try {
      const answer = await fetch(base + "/state" + ($("which").value ? "?drawn=" + $("which").value : ""), { credentials: "omit" });
      if (answer.ok) show(await answer.json());
    } catch (error) {
      $("notice").textContent = "The server does not answer. Trying again …";
      $("notice").classList.remove("hidden");
    }
  }

  $("close").addEventListener("click", () => $("close-dialog").showModal());
  $("close-no").addEventListener("click", () => $("close-dialog").close());
  $("close-yes").addEventListener("click", async () => {
    $("close-dialog").close();
    $("close").disabled = true;
    $("close").textContent = "Writing the report …";
    await post("/close", { confirm: true });
    $("close").textContent = "Close the study and write the report";
    load();
  });
  setInterval(() => { if (!document.hidden) load(); }, 2000);
  load();
})();
