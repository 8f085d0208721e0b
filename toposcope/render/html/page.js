"use strict";
(() => {
  const known = JSON.parse(document.querySelector(".ts-data").textContent);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const machine = one(".machine");
  const answer = one(".answer");
  const panel = one(".routes");
  const tip = one(".tip");
  const [from, to, swap, clear] = [".ts-from", ".ts-to", ".ts-swap", ".ts-clear"].map(one);
  const boxes = all(".box");
  const cells = all(".pairs button");
  const hint = answer.textContent;
  const parts = { boxes: byPlace("box"), wires: byPlace("wire") };
  let chosen = [];

  function byPlace(kind) {
    const found = [];
    for (const part of all(`[data-${kind}]`, machine)) (found[part.dataset[kind]] ??= []).push(part);
    return found;
  }

  function make(tag, { text, ...attributes } = {}, ...children) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== false) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  /* Choosing */

  const endsOf = (box) => (box.dataset.ends ?? "").split(" ").filter(Boolean).map(Number);

  function pick(end) {
    choose(chosen.length === 1 && chosen[0] !== end ? [chosen[0], end] : chosen.length === 1 ? [] : [end]);
  }

  function pickBox(box) {
    const ends = endsOf(box);
    const last = chosen.at(-1);
    const place = ends.indexOf(last);
    if (ends.length > 1 && place >= 0) choose([...chosen.slice(0, -1), ends[(place + 1) % ends.length]]);
    else pick(ends.find((end) => !chosen.includes(end)) ?? ends[0]);
  }

  function choose(ends) {
    const backwards = ends.length === 2 && !known.ends[ends[0]].start && known.ends[ends[1]].start;
    chosen = backwards ? [ends[1], ends[0]] : ends;
    show();
    remember();
  }

  function show() {
    const [start, goal] = chosen;
    if (from) {
      from.value = start !== undefined && known.ends[start].start ? start : "";
      to.value = goal ?? (start !== undefined && !known.ends[start].start ? start : "");
      clear.disabled = chosen.length === 0;
      swap.disabled = chosen.length < 2 || !known.ends[goal].start;
    }
    for (const box of boxes.filter((each) => each.dataset.ends)) {
      const pressed = endsOf(box).some((end) => chosen.includes(end));
      box.setAttribute("aria-pressed", pressed);
      box.classList.toggle("chosen", pressed);
    }
    for (const cell of cells) cell.setAttribute("aria-pressed", chosen.length === 2 && cell.dataset.pair === chosen.join(" "));
    const routes = chosen.length === 2 ? known.routes[chosen.join(" ")] : undefined;
    answer.classList.remove("held");
    panel.hidden = !routes?.length;
    panel.replaceChildren();
    mark(null);
    if (chosen.length) bringIntoView(boxes.find((box) => endsOf(box).includes(chosen[0])));
    if (routes?.length) list(routes);
    else answer.textContent = missing();
  }

  function bringIntoView(box) {
    const sheet = machine.parentElement;
    if (!box || sheet.scrollWidth <= sheet.clientWidth) return;
    const [inner, outer] = [box, sheet].map((each) => each.getBoundingClientRect());
    if (inner.left < outer.left || inner.right > outer.right) sheet.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
  }

  function missing() {
    if (chosen.length === 0) return hint;
    const [first, second] = chosen.map((end) => known.ends[end]);
    if (!second) return `${first.title} is one end. Choose the other.`;
    return first.start ? `Nothing here shows a route from ${first.title} to ${second.title}.`
      : `A route starts at an accelerator: neither ${first.title} nor ${second.title} is one.`;
  }

  function remember() {
    const names = chosen.length === 2 ? `#path=${chosen.map((end) => encodeURIComponent(known.ends[end].id)).join(",")}` : " ";
    try { history.replaceState(null, "", names.trim() || location.pathname + location.search); } catch { /* a sandboxed page has no history */ }
  }

  function remembered() {
    const found = /^#path=([^,]+),([^,]+)$/.exec(location.hash);
    if (!found) return known.chosen;
    let names = [];
    try { names = found.slice(1).map(decodeURIComponent); } catch { return []; }
    const ends = names.map((name) => known.ends.findIndex((end) => end.id === name));
    return ends.includes(-1) ? [] : ends;
  }

  /* Routes */

  function list(routes) {
    const title = chosen.map((end) => known.ends[end].title).join(" to ");
    const rows = routes.map((place, index) => routeLabel(known.answers[place], place, index === 0));
    const details = make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Segments of the route" });
    const legend = make("legend", { text: `${routes.length} ${routes.length === 1 ? "route" : "routes"}, ${title}` });
    const choice = make("fieldset", {}, legend, ...rows);
    choice.addEventListener("change", (event) => describe(Number(event.target.value), details));
    panel.append(choice, details);
    describe(routes[0], details);
  }

  function routeLabel(route, place, first) {
    const what = make("span", { class: "what" }, make("b", { text: route.transport }), make("span", { class: "mark", text: route.mark }));
    const input = make("input", { type: "radio", name: "ts-route", value: place });
    input.checked = first;
    const sum = make("span", { class: "sum", text: `${route.line} GB/s` });
    const practice = route.usable === "?" ? "usable not known" : `${route.usable} in practice`;
    return make("label", { class: "route" }, input, what, sum, make("small", { text: [practice, route.grade, route.note].filter(Boolean).join(" · ") }));
  }

  function describe(place, details) {
    const route = known.answers[place];
    answer.textContent = route.sentence;
    answer.classList.add("held");
    details.replaceChildren(segmentTable(route));
    mark(route);
  }

  function segmentTable(route) {
    const rows = route.segments.map((place, index) => [known.segments[place], index]);
    const near = rows.filter(([segment]) => !segment.far);
    const most = Math.max(...near.map(([segment]) => segment.typical ?? 0), 1e-9);
    const heads = ["segment", "made of", "line GB/s", "usable GB/s", "grade", "known from"];
    const body = make("tbody", {}, ...near.map(([segment, index]) => segmentRow(route, segment, index, most)));
    if (near.length < rows.length) {
      body.append(make("tr", {}, make("td", { colspan: heads.length, class: "far", text: "and the same way backwards in the identical host at the other end" })));
    }
    const head = make("tr", {}, ...heads.map((text, index) => make("th", { text, scope: "col", class: index === 2 || index === 3 ? "number" : null })));
    return make("table", { class: "segments" }, make("thead", {}, head), body);
  }

  function segmentRow(route, segment, index, most) {
    const tags = [
      [route.slow, "bottleneck"],
      [route.slow.includes(index) ? [] : route.slow_line, "by line rate"],
      [route.close, "close behind"],
    ].filter(([places]) => places.includes(index)).map(([, text]) => make("span", { class: "tag", text }));
    const usable = make("td", { class: "number", "data-label": "usable GB/s" }, make("span", { text: segment.usable }));
    if (segment.typical !== null) {
      const bar = make("span", { class: "bar" });
      bar.style.width = `${(100 * segment.typical) / most}%`;
      usable.append(bar);
    }
    const row = make("tr", { class: route.slow.includes(index) ? "slow" : null },
      make("th", { scope: "row", text: segment.place }, ...tags),
      make("td", { text: segment.medium, "data-label": "made of" }),
      make("td", { class: "number", text: segment.line, "data-label": "line GB/s" }),
      usable,
      make("td", { text: segment.grade, "data-label": "grade" }),
      make("td", { "data-label": "known from" }, ...evidence(known.origins[segment.origin])));
    for (const [event, hot] of [["mouseenter", true], ["mouseleave", false]]) {
      row.addEventListener(event, () => touched(segment, (part) => part.classList.toggle("hot", hot)));
    }
    return row;
  }

  function evidence([place, text]) {
    const origin = make("span", { class: "origin", text: place });
    return text ? [origin, make("code", { text })] : [origin];
  }

  function touched(segment, change) {
    for (const kind of ["boxes", "wires"]) for (const place of segment[kind]) (parts[kind][place] ?? []).forEach(change);
  }

  function mark(route) {
    for (const part of all(".on, .slow, .hot", machine)) part.classList.remove("on", "slow", "hot");
    machine.classList.toggle("marking", route !== null);
    if (route === null) return;
    route.segments.forEach((place, index) => {
      const segment = known.segments[place];
      touched(segment, (part) => part.classList.add("on"));
      if (route.slow.includes(index)) slowParts(segment).forEach((part) => part.classList.add("slow"));
    });
    for (const box of boxes.filter((each) => each.classList.contains("chosen"))) (parts.boxes[box.dataset.box] ?? []).forEach((part) => part.classList.add("on"));
  }

  function slowParts(segment) {
    const kind = segment.wires.length ? "wires" : "boxes";
    return segment[kind].flatMap((place) => parts[kind][place] ?? []);
  }

  /* Notes beside what is pointed at */

  let closing = 0;
  let noted = null;

  function note(part) {
    const found = part.dataset.box !== undefined ? known.tips.boxes[part.dataset.box] : known.tips.wires[part.dataset.wire];
    clearTimeout(closing);
    if (!found?.length) return unnote();
    tip.replaceChildren(...found.flatMap(([title, what, proofs]) => [
      ...(title ? [make("p", { class: "title", text: title })] : []),
      make("p", { text: what }),
      ...proofs.map((proof) => make("p", {}, ...evidence(proof))),
    ]));
    tip.hidden = false;
    noted = part;
    beside();
  }

  function beside() {
    const gap = 10;
    const rect = (noted.querySelector(".line, .front") ?? noted).getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const [wide, high] = [document.documentElement.clientWidth, window.innerHeight];
    const lying = noted.dataset.box !== undefined || rect.width > rect.height;
    const right = lying ? rect.left + Math.min(rect.width / 2, 80) : rect.right + gap;
    const left = right + width > wide - 8 ? rect.left - gap - width : right;
    const below = rect.bottom + gap;
    const top = lying ? (below + height > high - 8 ? rect.top - gap - height : below) : rect.top;
    tip.style.left = `${Math.max(8, Math.min(left, wide - width - 8))}px`;
    tip.style.top = `${Math.max(8, Math.min(top, high - height - 8))}px`;
  }

  function unnote() {
    tip.hidden = true;
    noted = null;
  }

  const later = () => { clearTimeout(closing); closing = setTimeout(unnote, 160); };
  const partAt = (event) => event.target.closest?.(".box, .wire");

  /* Moving by keys */

  const onward = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const roving = machine ? all(".wire, .box:not([data-ends])", machine) : [];

  function enter(parts) {
    if (parts.length) parts[0].setAttribute("tabindex", "0");
  }

  function moveTo(parts, part) {
    if (!part) return;
    for (const each of parts) each.setAttribute("tabindex", each === part ? "0" : "-1");
    part.focus();
  }

  function moveInDrawing(event) {
    const step = onward[event.key];
    const place = roving.indexOf(event.target);
    if (!step || place < 0) return;
    event.preventDefault();
    const open = roving.filter((part) => !part.classList.contains("hidden") || part.classList.contains("on"));
    moveTo(roving, open[(open.indexOf(event.target) + step + open.length) % open.length]);
  }

  function moveInMatrix(event) {
    const cell = event.target.closest("td");
    const step = onward[event.key];
    if (!cell || !step) return;
    event.preventDefault();
    const upright = event.key === "ArrowUp" || event.key === "ArrowDown";
    const next = (at) => upright
      ? (step > 0 ? at.parentElement.nextElementSibling : at.parentElement.previousElementSibling)?.cells[at.cellIndex]
      : step > 0 ? at.nextElementSibling : at.previousElementSibling;
    let goal = next(cell);
    while (goal && !goal.querySelector("button")) goal = goal.tagName === "TD" ? next(goal) : null;
    moveTo(cells, goal?.querySelector("button"));
  }

  /* What the reader does */

  machine?.addEventListener("click", (event) => {
    const box = partAt(event);
    if (box?.dataset.ends) pickBox(box);
  });
  machine?.addEventListener("keydown", (event) => {
    if ((event.key === "Enter" || event.key === " ") && event.target.dataset?.ends) {
      event.preventDefault();
      pickBox(event.target);
    } else moveInDrawing(event);
  });
  for (const event of ["mouseover", "focusin"]) machine?.addEventListener(event, (found) => partAt(found) && note(partAt(found)));
  for (const event of ["mouseout", "focusout"]) machine?.addEventListener(event, later);
  tip.addEventListener("mouseenter", () => clearTimeout(closing));
  tip.addEventListener("mouseleave", later);
  document.addEventListener("scroll", () => { if (noted) beside(); }, { capture: true, passive: true });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (noted) unnote();
    else if (chosen.length) choose([]);
  });
  document.addEventListener("click", (event) => {
    const pair = event.target.closest("[data-pair]")?.dataset.pair;
    if (!pair) return;
    choose(pair.split(" ").map(Number));
    answer.scrollIntoView({ block: "nearest" });
  });
  one(".pairs")?.addEventListener("keydown", moveInMatrix);
  const fromLists = () => {
    const picked = [from.value, to.value].filter((value) => value !== "").map(Number);
    choose(picked[0] === picked[1] ? picked.slice(0, 1) : picked);
  };
  from?.addEventListener("change", fromLists);
  to?.addEventListener("change", fromLists);
  swap?.addEventListener("click", () => choose([chosen[1], chosen[0]]));
  clear?.addEventListener("click", () => choose([]));
  for (const tick of all("[data-show]")) {
    tick.addEventListener("change", () => {
      for (const part of all(`[data-medium="${tick.dataset.show}"]`)) part.classList.toggle("hidden", !tick.checked);
    });
  }
  const table = one(".pairs");
  for (const choice of all("[name=ts-figures]")) {
    choice.addEventListener("change", () => table.classList.toggle("practice", choice.value === "practice"));
  }
  let scale = 0;
  for (const button of all("[data-zoom]")) {
    button.addEventListener("click", () => {
      const step = Number(button.dataset.zoom);
      const drawn = machine.getBoundingClientRect().width;
      scale = step === 0 ? 0 : drawn * (step > 0 ? 1.25 : 0.8);
      for (const side of ["width", "minWidth", "maxWidth"]) machine.style[side] = scale ? `${Math.round(scale)}px` : "";
    });
  }
  window.addEventListener("resize", () => { if (chosen.length) bringIntoView(boxes.find((box) => endsOf(box).includes(chosen[0]))); });
  window.addEventListener("beforeprint", () => all("details").forEach((each) => { each.open = true; }));

  enter(roving);
  enter(cells);
  chosen = remembered();
  show();
})();
