"use strict";
/* The backend of the judging page: the server that it came from. */
(function () {
  const base = location.pathname.replace(/\/$/, "");

  async function ask(path, options) {
    const answer = await fetch(base + path, { credentials: "omit", ...options });
    if (answer.ok) return answer.json();
    const error = new Error((await answer.json().catch(() => ({}))).error || "The server refused this (" + answer.status + ").");
    error.refused = answer.status < 500 && ![408, 425, 429].includes(answer.status);
    error.reason = error.message;
    throw error;
  }

  // what was judged and not yet acknowledged outlives a reload: it is sent again under the same ids
  const key = "dissensus-pending" + base;
  function kept() {
    try { const found = JSON.parse(localStorage.getItem(key) || "[]"); return Array.isArray(found) ? found : []; } catch (error) { return []; }
  }
  function keep(entries) {
    try { if (entries.length) localStorage.setItem(key, JSON.stringify(entries)); else localStorage.removeItem(key); } catch (error) { /* only memory, then */ }
  }

  judgePage(JSON.parse(document.getElementById("data").textContent), {
    poll: true, kept: kept, keep: keep,
    next: () => ask("/next", {}),
    label: (entry) => ask("/label", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(entry) }),
  });
})();
