"use strict";
/* The backend of the judging page where there is no server: this browser's storage, and a file to send back. */
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const key = "dissensus-audit-" + data.study + "-" + data.page;
  let entries = [], kept = true;
  try { entries = JSON.parse(localStorage.getItem(key) || "[]"); } catch (error) { kept = false; }

  function keep() {
    try { localStorage.setItem(key, JSON.stringify(entries)); } catch (error) { kept = false; }
  }

  function answer() {
    const state = new Map(), late = [];
    for (const entry of entries) {
      state.set(entry.assignment, entry.action);
      if (entry.action === "skip") { const at = late.indexOf(entry.assignment); if (at >= 0) late.splice(at, 1); late.push(entry.assignment); }
    }
    const open = data.documents.filter((d) => !["grade", "cannot"].includes(state.get(d.assignment)));
    const undone = entries.length && entries[entries.length - 1].action === "undo" ? entries[entries.length - 1].assignment : null;
    open.sort((a, b) => (b.assignment === undone) - (a.assignment === undone) || late.indexOf(a.assignment) - late.indexOf(b.assignment));
    const judged = data.documents.length - open.length;
    return { documents: open.slice(0, 3), judged: judged, left: open.length, sure: true, over: open.length === 0 };
  }

  function download() {
    const lines = entries.map((e) => JSON.stringify({ dissensus_audit: 1, study: data.study, ...e }) + "\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
    link.download = "judgments-" + data.page + ".jsonl";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function button() {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = "Download judgments";
    made.addEventListener("click", download);
    return made;
  }

  document.getElementById("extra").append(button());
  judgePage(data, {
    next: async () => answer(),
    label: async (entry) => { entries.push({ ...entry, at: Date.now() / 1000 }); keep(); return answer(); },
    ending: (place) => {
      place.replaceChildren("Download the file and send it back to the person who sent you this page. ", button());
      if (!kept) place.append(" This browser keeps nothing: download before you close the page.");
    },
  });
})();
