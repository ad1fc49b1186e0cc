// Keeps a page as new as the project: when the journal grows, the page is
// fetched again and its main part is put in the place of the old one. A page
// that somebody is typing into is left alone and says that it is out of date.
"use strict";
(function () {
  var main = document.querySelector("main");
  var note = document.getElementById("live");
  var seen = Number(document.body.dataset.position);
  if (!window.EventSource || !main || !note || !seen) return;

  var busy = false, again = false;

  function typing() {
    var fields = main.querySelectorAll("input:not([type=hidden]), textarea, select");
    return Array.prototype.some.call(fields, function (f) {
      if (f === document.activeElement) return true;
      if (f.type === "checkbox" || f.type === "radio") return f.checked !== f.defaultChecked;
      if (f.tagName === "SELECT") {
        return Array.prototype.some.call(f.options, function (o, i) {
          var first = !f.querySelector("option[selected]") && i === 0;
          return o.selected !== (o.defaultSelected || first);
        });
      }
      return f.value !== f.defaultValue;
    });
  }

  function say(text) { if (note.textContent !== text) note.textContent = text; }

  // keep remembers what the reader had opened and where the focus was.
  function keep(from) {
    var open = {};
    from.querySelectorAll("details[id]").forEach(function (d) { open[d.id] = d.open; });
    var row = from.querySelector("[data-href].at"), at = row ? row.dataset.href : "";
    var focus = document.activeElement && from.contains(document.activeElement) ? document.activeElement.id : "";
    return function (to) {
      to.querySelectorAll("details[id]").forEach(function (d) { if (d.id in open) d.open = open[d.id]; });
      to.querySelectorAll("[data-href]").forEach(function (r) { if (at && r.dataset.href === at) r.classList.add("at"); });
      if (focus && document.getElementById(focus)) document.getElementById(focus).focus({ preventScroll: true });
    };
  }

  function refresh() {
    if (document.body.dataset.kept) { say("The project has changed; this page shows it as it was."); return; }
    if (typing()) { say("The project has changed. Reload when you are done here."); return; }
    if (busy) { again = true; return; }
    busy = true;
    fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" }).then(function (r) {
      return r.ok ? r.text() : Promise.reject(new Error(String(r.status)));
    }).then(function (html) {
      var fresh = new DOMParser().parseFromString(html, "text/html").querySelector("main");
      if (!fresh || typing()) { say("The project has changed. Reload to see it."); return; }
      var restore = keep(main);
      fresh = document.importNode(fresh, true);
      main.replaceWith(fresh);
      main = fresh;
      restore(main);
      document.dispatchEvent(new Event("brenner:refreshed"));
      say("Updated just now.");
    }).catch(function () { say("The project has changed. Reload to see it."); }).then(function () {
      busy = false;
      if (again) { again = false; refresh(); }
    });
  }

  var feed = new EventSource("/live?after=" + seen);
  feed.onmessage = function (e) {
    var at = Number(e.data);
    if (at > seen) { seen = at; refresh(); }
  };
  // What a run does is not in the journal: a page that shows one under way looks
  // again by itself, while somebody looks at it.
  setInterval(function () {
    if (!document.hidden && !document.body.dataset.kept && main.querySelector("[data-live]") && !typing()) refresh();
  }, 2000);
  window.addEventListener("pagehide", function () { feed.close(); });
})();
