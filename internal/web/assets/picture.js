// Pans and zooms a picture: drag to move it, the wheel or the buttons to make it
// larger or smaller, the arrows and + - 0 from the keyboard. It begins so that
// all of it fits. Without this script the picture scrolls.
"use strict";
(function () {
  function start() {
    var frame = document.querySelector(".picture"), svg = frame && frame.querySelector("svg");
    if (!svg || frame.dataset.moves) return;
    frame.dataset.moves = "1";
    var all = svg.viewBox.baseVal, whole = { x: all.x, y: all.y, w: all.width, h: all.height }, box = null;
    frame.classList.add("moves");

    function put() { svg.setAttribute("viewBox", [box.x, box.y, box.w, box.h].join(" ")); }
    function scale() { return Math.max(box.w / svg.clientWidth, box.h / svg.clientHeight); }

    // fit shows all of the picture as it was drawn: the style makes it no larger
    // than its frame.
    function fit() {
      box = { x: whole.x, y: whole.y, w: whole.w, h: whole.h };
      put();
    }

    // zoom makes the picture f times larger around a point of it.
    function zoom(f, px, py) {
      var w = Math.min(Math.max(box.w / f, 200), Math.max(whole.w, frame.clientWidth) * 1.5), by = w / box.w;
      box.x = px - (px - box.x) * by;
      box.y = py - (py - box.y) * by;
      box.w = w;
      box.h *= by;
      put();
    }
    function middle(f) { zoom(f, box.x + box.w / 2, box.y + box.h / 2); }
    function point(e) {
      var m = svg.getScreenCTM().inverse();
      return { x: e.clientX * m.a + m.e, y: e.clientY * m.d + m.f };
    }

    frame.addEventListener("wheel", function (e) {
      if (!e.ctrlKey && !e.metaKey && document.activeElement !== frame) return; // the page scrolls
      e.preventDefault();
      var p = point(e);
      zoom(Math.exp(-e.deltaY / 400), p.x, p.y);
    }, { passive: false });

    var from = null, moved = false;
    frame.addEventListener("pointerdown", function (e) { if (!e.button && !e.target.closest(".zoom")) { from = { x: e.clientX, y: e.clientY }; moved = false; } });
    frame.addEventListener("pointermove", function (e) {
      if (!from) return;
      var dx = e.clientX - from.x, dy = e.clientY - from.y;
      if (!moved && Math.abs(dx) + Math.abs(dy) < 4) return;
      if (!moved) { moved = true; frame.setPointerCapture(e.pointerId); }
      box.x -= dx * scale();
      box.y -= dy * scale();
      from = { x: e.clientX, y: e.clientY };
      put();
    });
    frame.addEventListener("pointerup", function () { from = null; });
    frame.addEventListener("pointercancel", function () { from = null; });
    frame.addEventListener("click", function (e) { if (moved) { e.preventDefault(); moved = false; } }, true);
    frame.addEventListener("dragstart", function (e) { e.preventDefault(); });
    frame.addEventListener("keydown", function (e) {
      var step = box.w / 8, known = true;
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      switch (e.key) {
        case "ArrowLeft": box.x -= step; put(); break;
        case "ArrowRight": box.x += step; put(); break;
        case "ArrowUp": box.y -= step; put(); break;
        case "ArrowDown": box.y += step; put(); break;
        case "+": case "=": middle(1.25); break;
        case "-": middle(0.8); break;
        case "0": fit(); break;
        default: known = false;
      }
      if (known) e.preventDefault();
    });

    var bar = document.createElement("div");
    bar.className = "zoom";
    [["−", "Smaller", function () { middle(0.8); }], ["+", "Larger", function () { middle(1.25); }], ["Fit", "Fit all of it", fit]].forEach(function (b) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = b[0];
      button.setAttribute("aria-label", b[1]);
      button.addEventListener("click", b[2]);
      bar.appendChild(button);
    });
    frame.appendChild(bar);
    fit();
  }
  start();
  document.addEventListener("brenner:refreshed", start);
})();
