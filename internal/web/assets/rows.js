// Moves through a list with the keyboard: j and k to the next and the previous
// row, Enter opens it, e goes to where it is decided. A click anywhere on a row
// opens it too.
"use strict";
(function () {
  function rows() { return Array.prototype.slice.call(document.querySelectorAll("main [data-href]")); }
  function current() { return document.querySelector("main [data-href].at"); }

  function go(step) {
    var all = rows(), i = all.indexOf(current());
    if (!all.length) return;
    i = i < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(i + step, 0), all.length - 1);
    all.forEach(function (r) { r.classList.remove("at"); });
    all[i].classList.add("at");
    all[i].scrollIntoView({ block: "nearest" });
    var link = all[i].querySelector("a[href]");
    if (link) link.focus({ preventScroll: true });
  }

  function typing(e) {
    return e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) || e.target.isContentEditable;
  }

  document.addEventListener("keydown", function (e) {
    if (typing(e)) return;
    var row = current();
    if (e.key === "j" || e.key === "k") { e.preventDefault(); go(e.key === "j" ? 1 : -1); return; }
    if (e.key === "Enter" && row && document.activeElement === document.body) { location.href = row.dataset.href; return; }
    if (e.key !== "e") return;
    var decide = row ? row.dataset.decide || row.dataset.href : "";
    if (decide) { location.href = decide; return; }
    var here = document.getElementById("decide");
    if (!here) return;
    e.preventDefault();
    here.scrollIntoView();
    var field = here.parentElement.querySelector("textarea, input:not([type=hidden]), button");
    if (field) field.focus();
  });

  document.addEventListener("click", function (e) {
    if (e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.target.closest("a, button, input, select, textarea, label, summary, details")) return;
    var row = e.target.closest("main [data-href]");
    if (row && !String(window.getSelection())) location.href = row.dataset.href;
  });
})();
