"use strict";
(() => {
  document.documentElement.classList.add("js");
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const charts = read("charts-data");
  const tables = read("tables-data");

  // ── charts: one after the other, so that the page can be read at once ──
  const waiting = (all) => [...document.querySelectorAll("[data-chart]:not([data-drawn])")]
    .filter((place) => all || !place.closest("details:not([open])"));
  const draw = async (all) => {
    for (const place of waiting(all)) {
      place.dataset.drawn = "soon";
      try {
        await vegaEmbed(place, charts[place.dataset.chart], {
          renderer: "svg", ast: true, actions: { export: true, source: false, compiled: false, editor: false },
          downloadFileName: place.dataset.chart,
        });
        place.dataset.drawn = "yes";
        const menu = place.querySelector("summary");
        if (menu) menu.setAttribute("aria-label", "Save this chart");
      } catch (error) {
        place.textContent = "This chart could not be drawn: " + error.message;
        console.error(error);
      }
      await new Promise((next) => setTimeout(next, 0));
    }
  };

  // a folded section draws its charts when it is opened: a hidden chart has no width
  let printing = [];  // what is opened for paper: there the drawings that came with the page will do
  document.addEventListener("toggle", (event) => { if (event.target.open && !printing.length) draw(false); }, true);
  const unfold = (id) => {
    const target = id && document.getElementById(decodeURIComponent(id.split("?")[0]));
    for (let box = target && target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    return target;
  };
  addEventListener("hashchange", () => { const target = unfold(location.hash.slice(1)); if (target) target.scrollIntoView(); });
  addEventListener("beforeprint", () => {
    printing = [...document.querySelectorAll("details.section:not(#explore):not([open]), details.rest:not([open])")];
    for (const box of printing) box.open = true;
  });
  addEventListener("afterprint", () => {
    for (const box of printing) box.open = false;
    setTimeout(() => { printing = []; }, 0);
  });

  // ── how a number was made, in place ──
  document.addEventListener("click", (event) => {
    const how = event.target.closest("a.how");
    if (!how) return;
    const term = document.getElementById(how.getAttribute("href").slice(1));
    if (!term) return;
    event.preventDefault();
    const block = how.closest("p, figcaption, .bar, summary") ?? how;
    const open = block.nextElementSibling?.classList.contains("explain") ? block.nextElementSibling : null;
    if (open) { open.remove(); how.setAttribute("aria-expanded", "false"); return; }
    const box = document.createElement("div");
    box.className = "explain";
    const name = document.createElement("strong");
    name.textContent = term.textContent;
    box.append(name, ...[...term.nextElementSibling.childNodes].map((node) => node.cloneNode(true)));
    block.after(box);
    how.setAttribute("aria-expanded", "true");
  });

  // ── tables ──
  // control and direction characters are shown, never obeyed
  const visible = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (c) => (c < "\u0100" ? "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0") : "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")));
  const shown = (value, digits) => {
    if (value === null || value === undefined) return "–";
    if (value === true) return "yes";
    if (value === false) return "no";
    if (typeof value !== "number") return visible(value);
    const small = value !== 0 && Math.abs(value) < 0.5 * 10 ** -digits;
    return small ? value.toExponential(1).replace(/e([+-])(\d)$/, "e$10$2") : value.toFixed(digits);
  };

  const fill = (body, table, rows, limit) => {
    body.replaceChildren(...rows.slice(0, limit).map((row) => {
      const line = document.createElement("tr");
      row.forEach((value, c) => {
        const cell = document.createElement("td");
        if (table.numeric[c]) cell.className = "number";
        cell.textContent = shown(value, table.decimal[c] ? table.digits : 0);
        if (!table.numeric[c] && cell.textContent.length > 32) cell.className = "long";
        line.append(cell);
      });
      return line;
    }));
  };

  const collator = new Intl.Collator(undefined, { numeric: true });
  const compare = (a, b) => {
    if (a === null) return b === null ? 0 : 1;
    if (b === null) return -1;
    if (typeof a === "number" && typeof b === "number") return a - b;
    return collator.compare(String(a), String(b));
  };

  document.addEventListener("click", (event) => {
    const sort = event.target.closest("button.sort");
    if (sort) {
      const box = sort.closest(".table"), head = sort.closest("th"), column = Number(sort.dataset.column);
      const table = tables[box.id];
      const down = head.getAttribute("aria-sort") === "none" ? table.numeric[column] : head.getAttribute("aria-sort") === "ascending";
      for (const other of box.querySelectorAll("th")) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.rows].sort((a, b) => {
        const order = compare(a[column], b[column]);
        return a[column] === null || b[column] === null ? order : down ? -order : order;
      });
      fill(box.querySelector("tbody"), table, rows, table.shown);
    }
    const more = event.target.closest("button.more");
    if (more) {
      for (const row of document.getElementById(more.dataset.more).querySelectorAll("tr.later")) row.classList.add("shown");
      more.remove();
    }
    const download = event.target.closest("button.download");
    if (download) {
      const table = tables[download.dataset.table];
      // a leading =, +, - or @ in a text would be a formula in a spreadsheet
      const field = (v) => {
        if (v === null || v === undefined) return "";
        const text = typeof v === "string" && /^[=+\-@\t\r]/.test(v) ? "'" + v : String(v);
        return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
      };
      const text = [table.columns, ...table.rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
      save(new Blob(["\ufeff" + text], { type: "text/csv" }), table.file);
    }
  });

  // ── the answer elsewhere: as text, as a picture, as a table, on one page ──
  const copies = read("copies-data");
  const told = (text) => { const box = document.getElementById("copied"); if (box) box.textContent = text; };
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // a page opened from a file may not use the clipboard directly
      const box = document.createElement("textarea");
      box.value = text;
      document.body.append(box);
      box.select();
      const done = document.execCommand("copy");
      box.remove();
      if (!done) { told("This browser does not let the page copy."); return; }
    }
    told("Copied.");
  };
  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  // the drawing with its own style, on white: a picture does not see the page's
  const picture = (box) => {
    const drawn = box.querySelector(".drawn.wide svg").cloneNode(true);
    const [, , width, height] = drawn.getAttribute("viewBox").split(" ").map(Number);
    const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
    style.textContent = copies["chart-style"];
    drawn.prepend(style);
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * width; canvas.height = 2 * height;
      const on = canvas.getContext("2d");
      on.fillStyle = "#fff"; on.fillRect(0, 0, canvas.width, canvas.height);
      on.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => { save(blob, "systems.png"); told("Saved as systems.png."); }, "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(drawn));
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".tools button");
    if (!button) return;
    if (button.dataset.copy) copy(copies[button.dataset.copy] ?? "");
    if (button.dataset.chartPng) picture(document.getElementById(button.dataset.chartPng));
    if (button.dataset.print) {
      document.documentElement.classList.add("one-page");
      print();
    }
  });
  addEventListener("afterprint", () => document.documentElement.classList.remove("one-page"));

  addEventListener("load", async () => {
    const target = unfold(location.hash.slice(1));
    await draw(false);
    document.documentElement.dataset.drawn = "yes";
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
    if (target) target.scrollIntoView();
  });
})();
