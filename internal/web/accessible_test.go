package web_test

import "github.com/chromedp/chromedp"

// inaccessible lists what would keep somebody from using the page: a missing
// language, landmark or heading, a field or button without a name, an id that
// occurs twice, a time without the exact instant, and words whose contrast is below 4.5 to 1 (3 to 1 for large
// ones), measured from the computed colours.
func (b *tab) inaccessible() []string {
	b.Helper()
	return get(b, chromedp.Evaluate[[]string](accessibility))
}

const accessibility = `(() => {
  const faults = [], all = s => [...document.querySelectorAll(s)];
  const say = (what, e) => faults.push(what + (e ? ": " + e.outerHTML.slice(0, 120) : ""));
  const shown = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
  if (document.documentElement.lang !== "en") say("the page names no language");
  if (!document.title) say("the page has no title");
  if (!document.querySelector("meta[name=viewport]")) say("the page does not fit itself to a phone");
  for (const mark of ["main", "header", "footer"]) if (all(mark).length !== 1) say(all(mark).length + " landmarks " + mark);
  if (all("h1").length !== 1) say(all("h1").length + " headings of the first level");
  let level = 1;
  for (const h of all("h1, h2, h3, h4, h5, h6").filter(shown)) {
    const n = Number(h.tagName[1]);
    if (n > level + 1) say("a heading skips a level", h);
    if (!h.textContent.trim()) say("a heading says nothing", h);
    level = n;
  }
  const name = e => (e.getAttribute("aria-label") || (e.labels && [...e.labels].map(l => l.textContent).join(" ")) || e.textContent || "").trim();
  for (const e of all("input:not([type=hidden]), select, textarea")) if (!name(e)) say("a field has no label", e);
  for (const e of all("button, a[href], summary")) if (!name(e)) say("a control has no name", e);
  for (const e of all("img")) if (!e.hasAttribute("alt")) say("a picture has no words", e);
  for (const e of all("nav, section[aria-labelledby], [role=region]")) {
    const by = e.getAttribute("aria-labelledby");
    if (by ? !document.getElementById(by) : !e.getAttribute("aria-label")) say("a region has no name", e);
  }
  for (const e of all("th")) if (!e.hasAttribute("scope") && !e.closest(".prose")) say("a head of a table has no scope", e);
  for (const e of all("time")) if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(e.title) || e.title !== e.dateTime) say("a time is not exact on hover", e);
  const ids = all("[id]").map(e => e.id);
  ids.forEach((id, i) => { if (ids.indexOf(id) !== i) say("the id " + id + " occurs twice"); });
  const rgb = s => { const m = s.match(/[\d.]+/g).map(Number); return m.length === 3 ? [...m, 1] : m; };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const light = c => [0, 1, 2].map(i => c[i] / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = e => { for (let c = [0, 0, 0, 0]; ; e = e.parentElement) {
    if (!e) return over(c, [255, 255, 255, 1]);
    c = over(c, rgb(getComputedStyle(e).backgroundColor));
    if (rgb(getComputedStyle(e).backgroundColor)[3] === 1) return rgb(getComputedStyle(e).backgroundColor);
  } };
  const seen = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || seen.has(e) || !shown(e) || e.closest("svg, script, option")) continue;
    seen.add(e);
    const s = getComputedStyle(e), size = parseFloat(s.fontSize);
    const back = ground(e), fore = over(rgb(s.color), back);
    const [x, y] = [light(fore), light(back)].sort((p, q) => q - p), ratio = (x + 0.05) / (y + 0.05);
    const least = size >= 24 || (size >= 18.66 && Number(s.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < least) say("contrast " + ratio.toFixed(2), e);
  }
  return faults;
})()`
