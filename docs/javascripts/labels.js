// names for what the theme leaves without one: screen readers list landmarks by name
const label = () =>
  document.querySelectorAll(".md-code__nav").forEach((nav, i) => nav.setAttribute("aria-label", `Code block ${i + 1}`));
new MutationObserver(label).observe(document.body, { childList: true, subtree: true });
label();
