// Conveniences. Every page can be read, and everything can be decided, without this script.
"use strict";

// Times in the time zone of the reader.
for (const time of document.querySelectorAll("time[datetime]")) {
  const text = time.getAttribute("datetime");
  if (!text.includes("T")) continue;
  const date = new Date(text);
  if (isNaN(date)) continue;
  const local = date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  if (time.hasAttribute("data-ago")) time.title = local;
  else { time.title = time.textContent; time.textContent = local; }
}

// Commands can be copied with one click.
for (const code of document.querySelectorAll(".command code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy the command");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Press Ctrl-C";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  code.after(button);
}

// Files can be dropped on the field of a file.
for (const drop of document.querySelectorAll(".drop")) {
  const input = drop.querySelector("input[type=file]");
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  for (const name of ["dragleave", "drop"]) {
    drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.remove("over"); });
  }
  drop.addEventListener("drop", (event) => {
    if (event.dataTransfer.files.length > 0) {
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
}

// Plus and minus for counters.
for (const field of document.querySelectorAll("input[data-counter]")) {
  for (const [sign, step, place] of [["−", -1, "beforebegin"], ["+", 1, "afterend"]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    button.setAttribute("aria-label", step > 0 ? "One more" : "One less");
    button.addEventListener("click", () => { field.value = String((parseInt(field.value, 10) || 0) + step); });
    field.insertAdjacentElement(place, button);
  }
}

// Records to refer to, by a part of their title or id.
const records = document.getElementById("records");
if (records) {
  let last = 0;
  for (const field of document.querySelectorAll("input[list=records]")) {
    field.addEventListener("input", async () => {
      const number = ++last;
      await new Promise((go) => setTimeout(go, 150));
      if (number !== last || field.value.length < 2) return;
      const answer = await fetch("/suggest?" + new URLSearchParams({ q: field.value }));
      if (!answer.ok || number !== last) return;
      records.replaceChildren(...(await answer.json()).map((one) => {
        const option = document.createElement("option");
        option.value = one.id;
        option.textContent = one.title;
        return option;
      }));
    });
  }
}

// Another row for a new property.
for (const group of document.querySelectorAll("fieldset.more")) {
  const rows = group.querySelectorAll(".entry.new");
  if (rows.length === 0) continue;
  for (const row of [...rows].slice(1)) if (![...row.querySelectorAll("input:not([type=hidden]), textarea")].some((one) => one.value)) row.remove();
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = group.dataset.another;
  let next = 1000;
  button.addEventListener("click", () => {
    const last = group.querySelectorAll(".entry.new");
    const row = last[last.length - 1].cloneNode(true);
    for (const field of row.querySelectorAll("[name]")) {
      field.name = field.name.replace(/\d+$/, String(next));
      if (field.tagName !== "SELECT" && field.type !== "hidden") field.value = "";
    }
    for (const old of row.querySelectorAll(".problem, .kept")) old.remove();
    next += 1;
    button.before(row);
    row.querySelector("input").focus();
  });
  group.append(button);
}

// A form that was changed is not left by mistake.
for (const form of document.querySelectorAll("form.edit")) {
  let isChanged = false;
  form.addEventListener("input", () => { isChanged = true; });
  form.addEventListener("submit", () => { isChanged = false; });
  addEventListener("beforeunload", (event) => { if (isChanged) event.preventDefault(); });
}

// A value that is written is chosen.
for (const field of document.querySelectorAll("[data-chooses]")) {
  field.addEventListener("input", () => {
    document.querySelector(`input[name="c${field.dataset.chooses}"][value="value"]`).checked = true;
  });
}

// A value that is clicked is chosen, unless it is a text that is written or selected.
for (const option of document.querySelectorAll(".option")) {
  option.addEventListener("click", (event) => {
    if (getSelection().isCollapsed && !event.target.closest("a, label, textarea, select")) option.querySelector("input[type=radio]").click();
  });
}

// The progress of a sync, until it has ended.
if (document.querySelector("[data-running]")) {
  const again = async () => {
    try {
      const answer = await fetch(location.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.querySelector("[data-job]");
      if (answer.ok && next) document.querySelector("[data-job]").replaceWith(next);
      if (next && !next.hasAttribute("data-running")) return;
    } catch {
      // The next time.
    }
    setTimeout(again, 700);
  };
  setTimeout(again, 300);
}

// What changes while a page is open. One tab of the browser has the connection, and tells the others.
const news = document.getElementById("news");
const tabs = "BroadcastChannel" in window ? new BroadcastChannel("sea-studio") : null;
let isAsking = false;
let asksAgain = false;

async function ask() {
  if (!news) return;
  if (isAsking) { asksAgain = true; return; }
  isAsking = true;
  try {
    const here = new URL(location.href);
    const wanted = new URLSearchParams({ since: news.dataset.since });
    if (here.pathname === "/record") wanted.set("id", here.searchParams.get("id"));
    else if (here.searchParams.get("type")) wanted.set("type", here.searchParams.get("type"));
    const answer = await fetch("/news?" + wanted);
    if (answer.ok) tell((await answer.json()).changes, here.pathname === "/record");
  } catch {
    // The server has ended, or the computer slept; the next event asks again.
  }
  isAsking = false;
  if (asksAgain) { asksAgain = false; ask(); }
}

function tell(count, isRecord) {
  if (count === 0) { news.hidden = true; return; }
  const text = isRecord
    ? "This record was changed since the page was made. "
    : count === 1 ? "1 change since the page was made. " : (count >= 200 ? "200 or more" : count) + " changes since the page was made. ";
  const link = document.createElement("a");
  const target = new URL(location.href);
  target.searchParams.delete("done");
  link.href = target.pathname + target.search;
  link.textContent = isRecord ? "Show the record" : count === 1 ? "Show it" : "Show them";
  news.replaceChildren(text, link);
  news.hidden = false;
}

function connect(release) {
  const events = new EventSource("/events");
  events.addEventListener("changed", () => { ask(); tabs?.postMessage("changed"); });
  // Whatever happened while there was no connection is asked for.
  events.addEventListener("ready", () => { ask(); tabs?.postMessage("changed"); });
  addEventListener("pagehide", () => { events.close(); release?.(); });
}

tabs?.addEventListener("message", ask);
if (navigator.locks && tabs) navigator.locks.request("sea-studio", () => new Promise((release) => connect(release)));
else connect();
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// The address says once what was done; a reload does not look for it again.
const here = new URL(location.href);
if (here.searchParams.has("done")) {
  here.searchParams.delete("done");
  history.replaceState(null, "", here.pathname + here.search + here.hash);
}

// A search that has not come to the end goes on as long as nothing was found.
const goOn = document.querySelector("a[data-continue]");
if (goOn && !document.querySelector("table.records")) location.replace(goOn.href);
