// Shows Markdown as it will look, while it is being written: the form is sent
// for a preview, and what comes back is shown. Nothing is kept by that.
"use strict";
(function () {
  var text = document.querySelector("textarea[data-preview]");
  if (!text || !window.fetch || !window.FormData) return;
  var place = document.getElementById(text.dataset.preview), timer = 0, asked = 0;

  function show() {
    var data = new FormData(text.form), mine = ++asked;
    data.set("act", "preview");
    data.delete("content.file");
    fetch(text.form.getAttribute("action") || location.href, { method: "POST", body: data, credentials: "same-origin" }).then(function (r) { return r.ok ? r.text() : ""; }).then(function (html) {
      var fresh = html && mine === asked && new DOMParser().parseFromString(html, "text/html").getElementById(place.id);
      if (fresh) place.replaceChildren.apply(place, Array.prototype.slice.call(document.importNode(fresh, true).childNodes));
    });
  }

  text.addEventListener("input", function () { clearTimeout(timer); timer = setTimeout(show, 400); });
  if (text.value) show();
})();
