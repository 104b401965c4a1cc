"use strict";
/* The backend of the judging page: the server that it came from. */
(function () {
  const base = location.pathname.replace(/\/$/, "");

  async function ask(path, options) {
    const answer = await fetch(base + path, { credentials: "omit", ...options });
    if (answer.ok) return answer.json();
    const error = new Error((await answer.json().catch(() => ({}))).error || "The server refused this (" + answer.status + ").");
    error.refused = answer.status < 500;
    throw error;
  }

  judgePage(JSON.parse(document.getElementById("data").textContent), {
    poll: true,
    next: () => ask("/next", {}),
    label: (entry) => ask("/label", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(entry) }),
  });
})();
