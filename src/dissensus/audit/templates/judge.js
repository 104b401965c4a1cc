"use strict";
/* The judging page: shows one document, takes one key, hands the entry to a backend. Texts go in as text, never as
   markup. backend.next() and backend.label(entry) resolve to {documents, judged, left, sure, over}. An entry that is refused is
   told and taken out; those behind it go on. What is not sent yet is kept by backend.keep(entries). */
function judgePage(data, backend) {
  const $ = (id) => document.getElementById(id);
  const FOLD = 3500; // characters
  let queue = [], shown = null, since = 0, comment = "";
  const history = [], pending = [], drafts = new Map();
  let sending = false, refusal = "";

  function randomId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  }

  // ── showing ──
  function put(id, text) { $(id).textContent = text || ""; $(id).classList.toggle("hidden", !text); }

  function words(query) {
    const found = query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) || [];
    return new Set(found);
  }

  function fill(element, text, query) {
    element.textContent = "";
    if (!data.mark) { element.textContent = text; return; }
    const wanted = words(query);
    for (const part of text.split(/([\p{L}\p{N}]+)/u)) {
      if (wanted.has(part.toLowerCase())) {
        const mark = document.createElement("mark");
        mark.textContent = part;
        element.append(mark);
      } else { element.append(part); }
    }
  }

  function show() {
    shown = queue.length ? queue[0] : null;
    comment = shown ? drafts.get(shown.assignment) || "" : "";
    $("comment").firstChild.textContent = comment ? "Comment ✓ " : "Comment ";
    const ready = shown !== null;
    $("columns").classList.toggle("hidden", !ready);
    $("footer").classList.toggle("hidden", !ready);
    $("end").classList.toggle("hidden", ready);
    if (!ready) return;
    const topic = shown.topic, doc = shown.document;
    const other = $("query").textContent !== topic.query;
    $("query").textContent = topic.query;
    put("description", topic.description);
    put("narrative", topic.narrative);
    $("narrative-box").classList.toggle("hidden", !topic.narrative);
    $("title").textContent = doc.title || "(without a title)";
    put("url", doc.url);
    fill($("text"), doc.text || "(no text)", topic.query);
    fold((doc.text || "").length > FOLD);
    $("main").scrollTop = 0;
    since = performance.now();
    // a screen reader goes on with what is new: the topic, or the document
    (other ? $("query") : $("title")).focus({ preventScroll: true });
    $("undo").disabled = history.length === 0;
  }

  function fold(long) {
    $("text").classList.toggle("folded", long);
    $("unfold").classList.toggle("hidden", !long);
    $("unfold").setAttribute("aria-expanded", "false");
    $("unfold").textContent = "Show all of it";
  }

  function unfold() {
    const folded = $("text").classList.toggle("folded");
    $("unfold").setAttribute("aria-expanded", String(!folded));
    $("unfold").textContent = folded ? "Show all of it" : "Fold it again";
  }

  function end(title, text) {
    $("end-title").textContent = title;
    $("end-text").textContent = text;
    if (backend.ending) backend.ending($("end-action"));
    queue = [];
    show();
    $("end").focus();
  }

  function say(text) { $("saved").textContent = text; }

  function warn(text) { $("notice").textContent = text; $("notice").classList.toggle("hidden", !text); }

  // ── answers of the backend ──
  function accept(answer) {
    const left = answer.over ? "" : (answer.sure ? ", about " : ", up to about ") + answer.left + " left";
    $("count").textContent = answer.judged + " judged" + left;
    const waiting = new Set(pending.map((e) => e.assignment));
    const fresh = answer.documents.filter((d) => !waiting.has(d.assignment));
    // what is on the screen stays there
    const keep = shown && (fresh.some((d) => d.assignment === shown.assignment)
      || pending.some((e) => e.assignment === shown.assignment && e.action === "undo"));
    queue = keep ? [shown, ...fresh.filter((d) => d.assignment !== shown.assignment)] : fresh;
    if (!keep) show();
    if (!queue.length && !pending.length) {
      if (answer.over) end("Done. Thank you.", data.ending || "The study needs no more judgments.");
      else end("Nothing to judge right now.", "New documents may come when others are done. This page looks again by itself.");
    }
  }

  let again = 0;  // the next try: one at a time, however often something asked while the server was away

  async function load() {
    clearTimeout(again);
    try { accept(await backend.next()); if (!refusal) warn(""); }
    catch (error) {
      warn(error.refused ? error.message : "The server does not answer. Trying again …");
      clearTimeout(again);
      again = setTimeout(load, error.refused ? 15000 : 2000);
    }
  }

  // entries are sent one after the other; each is sent again, under its own id, until it is acknowledged
  async function send() {
    if (sending) return;
    sending = true;
    while (pending.length) {
      const entry = pending[0];
      try {
        const answer = await backend.label(entry);
        taken();
        drafts.delete(entry.assignment);
        if (!refusal) warn("");
        say(entry.action === "grade" ? "Saved: " + entry.grade : entry.action === "undo" ? "Undone" : "Saved");
        accept(answer);
      } catch (error) {
        if (error.refused) {  // this one only: what comes behind it is sent all the same
          taken();
          if (entry.comment) drafts.set(entry.assignment, entry.comment);
          refusal = "One judgment was not taken: " + error.message;
          warn(refusal);
          if (!pending.length) await load();
        } else {
          warn("Not saved yet: " + (error.reason || "the server does not answer.") + " Trying again …");
          await new Promise((resolve) => setTimeout(resolve, 1500));
        }
      }
    }
    sending = false;
  }

  function taken() { pending.shift(); if (backend.keep) backend.keep(pending); }

  function add(entry) {
    pending.push(entry);
    if (backend.keep) backend.keep(pending);
    send();
  }

  function give(fields) {
    if (!shown) return;
    const entry = { assignment: shown.assignment, request: randomId(), seconds: Math.round(performance.now() - since) / 1000, ...fields };
    if (comment) entry.comment = comment;
    refusal = "";
    warn("");
    if (fields.action !== "skip") history.push(shown);
    queue = queue.slice(1);
    shown = null;
    if (queue.length) show(); else say("Loading …");
    add(entry);
  }

  function undo() {
    if (!history.length) return;
    const back = history.pop();
    shown = null;
    queue = [back, ...queue];
    show();
    add({ assignment: back.assignment, request: randomId(), action: "undo" });
  }

  // ── buttons and keys ──
  const byKey = new Map();
  for (const grade of data.grades) {
    const button = document.createElement("button");
    button.type = "button";
    const name = document.createElement("span");
    name.textContent = grade.name;
    button.append(name);
    if (grade.key) {
      const key = document.createElement("kbd");
      key.textContent = grade.key;
      button.append(key);
      byKey.set(grade.key, button);
    }
    button.addEventListener("click", () => give({ action: "grade", grade: grade.grade }));
    $("grades").append(button);
  }
  $("guideline").textContent = data.guideline;
  $("guideline-box").classList.toggle("hidden", !data.guideline);

  const help = [...data.grades.filter((g) => g.key).map((g) => [g.key, g.name]), ["space", "skip: it comes back later"],
    ["u", "undo the last one"], ["c", "cannot judge, with a reason"], ["n", "comment (Ctrl+Enter keeps it)"], ["m", "show all of a long document"],
    ["?", "this help"]];
  for (const [key, what] of help) {
    const dt = document.createElement("dt"), dd = document.createElement("dd"), kbd = document.createElement("kbd");
    kbd.textContent = key; dt.append(kbd); dd.textContent = what; $("keys").append(dt, dd);
  }

  const skip = () => give({ action: "skip" });
  const openCannot = () => { if (shown) { $("other-reason").value = ""; $("reason").selectedIndex = 0; $("cannot-dialog").showModal(); } };
  const openComment = () => { if (shown) { $("comment-text").value = comment; $("comment-dialog").showModal(); $("comment-text").focus(); } };
  const openHelp = () => $("help-dialog").showModal();
  $("skip").addEventListener("click", skip);
  $("cannot").addEventListener("click", openCannot);
  $("comment").addEventListener("click", openComment);
  $("undo").addEventListener("click", undo);
  $("unfold").addEventListener("click", unfold);
  $("help-button").addEventListener("click", openHelp);
  $("help-close").addEventListener("click", () => $("help-dialog").close());
  $("cannot-back").addEventListener("click", () => $("cannot-dialog").close());
  $("cannot-send").addEventListener("click", () => {
    const reason = [$("reason").value, $("other-reason").value.trim()].filter(Boolean).join(": ").replace(/\p{Surrogate}/gu, "\ufffd");
    if (!reason) { $("other-reason").focus(); return; }
    $("cannot-dialog").close();
    give({ action: "cannot", cannot: reason });
  });
  $("comment-back").addEventListener("click", () => $("comment-dialog").close());
  function keepComment() {
    comment = $("comment-text").value.trim().replace(/\p{Surrogate}/gu, "\ufffd");
    if (shown) drafts.set(shown.assignment, comment);
    $("comment").firstChild.textContent = comment ? "Comment ✓ " : "Comment ";
    $("comment-dialog").close();
  }
  $("comment-keep").addEventListener("click", keepComment);
  $("comment-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); keepComment(); }
  });

  document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const target = event.target;
    if (target.matches("input, textarea, select")) return;
    if (event.key === " " && target.matches("button, summary, a")) return;
    const acts = { " ": skip, u: undo, U: undo, c: openCannot, C: openCannot, n: openComment, N: openComment, "?": openHelp,
      m: () => { if (!$("unfold").classList.contains("hidden")) unfold(); } };
    const button = byKey.get(event.key);
    if (button) {
      event.preventDefault();
      if (!shown) return;
      button.classList.add("pressed");
      setTimeout(() => button.classList.remove("pressed"), 120);
      button.click();
    } else if (acts[event.key]) {
      event.preventDefault();
      acts[event.key]();
    }
  });
  setInterval(() => { if (!shown && !pending.length && !document.hidden && backend.poll) load(); }, 5000);
  window.addEventListener("beforeunload", (event) => { if (pending.length) event.preventDefault(); });
  if (backend.kept) pending.push(...backend.kept());
  if (pending.length) send().then(load); else load();
}
