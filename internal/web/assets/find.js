// Finds as one types: / or Ctrl+K goes to the field, the arrows choose, Enter
// opens. What is found is the page /find, shown below the field.
"use strict";
(function () {
  var field = document.getElementById("find");
  if (!field || !window.fetch) return;
  var form = field.form, list = null, last = "", timer = 0;

  function close() { if (list) list.remove(); list = null; last = ""; field.setAttribute("aria-expanded", "false"); }

  function items() { return list ? Array.prototype.slice.call(list.querySelectorAll("li")) : []; }

  function choose(step) {
    var all = items(), i = all.findIndex(function (e) { return e.classList.contains("at"); });
    if (!all.length) return;
    all.forEach(function (e) { e.classList.remove("at"); });
    i = (i + step + all.length) % all.length;
    if (i < 0) i = 0;
    all[i].classList.add("at");
    all[i].scrollIntoView({ block: "nearest" });
  }

  function look() {
    var words = field.value.trim();
    if (!words) { close(); return; }
    if (words === last) return;
    last = words;
    fetch("/find?q=" + encodeURIComponent(words), { credentials: "same-origin" }).then(function (r) { return r.ok ? r.text() : ""; }).then(function (html) {
      if (words !== last || !html) return;
      var found = new DOMParser().parseFromString(html, "text/html").getElementById("found");
      if (!found) return;
      found = document.importNode(found, true);
      found.removeAttribute("id");
      found.className = "found";
      found.setAttribute("role", "region");
      found.setAttribute("aria-label", "Found");
      if (list) list.replaceWith(found); else form.appendChild(found);
      list = found;
      field.setAttribute("aria-expanded", "true");
    });
  }

  field.addEventListener("input", function () { clearTimeout(timer); timer = setTimeout(look, 120); });
  field.addEventListener("keydown", function (e) {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") { e.preventDefault(); choose(e.key === "ArrowDown" ? 1 : -1); return; }
    if (e.key === "Escape") { close(); field.blur(); }
  });
  form.addEventListener("submit", function (e) {
    var at = list && list.querySelector("li.at a");
    if (at) { e.preventDefault(); location.href = at.href; }
  });
  document.addEventListener("keydown", function (e) {
    var typing = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) || e.target.isContentEditable;
    if ((e.key === "k" && (e.ctrlKey || e.metaKey)) || (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey && !e.altKey)) {
      e.preventDefault();
      field.focus();
      field.select();
    }
  });
  document.addEventListener("click", function (e) { if (list && !form.contains(e.target)) close(); });
})();
