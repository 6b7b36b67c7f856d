/// The scripts of pages. They read the elements of the page alone, and have no text of a catalog.
enum PageScript {
  /// Puts a button into each heading of a table that can be sorted, so that a page without scripts has no button that does
  /// nothing.
  static let sorting: HTML = """
    "use strict";
    const status = document.getElementById("sorted");
    for (const table of document.querySelectorAll("table.sortable")) {
      const body = table.tBodies[0];
      const rows = Array.from(body.rows);
      const heads = Array.from(table.tHead.rows[0].cells);
      heads.forEach((head, column) => {
        const isNumber = head.classList.contains("number");
        const key = (row) => {
          const cell = row.cells[column];
          if (!isNumber) return cell.textContent;
          return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
        };
        const name = head.textContent;
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
          const isDown = head.getAttribute("aria-sort") === "ascending";
          for (const other of heads) other.removeAttribute("aria-sort");
          head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
          const sorted = rows.map((row) => ({ row, key: key(row) })).sort((left, right) => {
            if (left.key === right.key) return 0;
            if (left.key === null) return 1;
            if (right.key === null) return -1;
            return left.key < right.key === isDown ? 1 : -1;
          });
          body.append(...sorted.map((entry) => entry.row));
          status.textContent = `Sorted by ${name}, ${isDown ? "descending" : "ascending"}`;
        });
      });
    }
    for (const hint of document.querySelectorAll(".sort-hint")) hint.hidden = false;

    """

  /// The handle of the moment, ranges, copied commands, new events. Each page of the inspector works without it, by links and
  /// forms.
  static let inspector = """
    "use strict";
    // The number of the last request for a page: an answer to an earlier one is thrown away.
    let asked = 0;

    function address(changes) {
      const url = new URL(location.href);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      }
      return url;
    }

    // Fetches a page and puts its parts in the place of those of this one. The focus stays.
    async function show(url, isNew) {
      const number = ++asked;
      document.body.classList.add("busy");
      // A page that takes long says how far it is.
      const waiting = setInterval(async () => {
        const live = await ask();
        if (number === asked && document.body.classList.contains("busy") && live && live.work) news(live.work);
      }, 400);
      let page;
      try {
        const answer = await fetch(url, { headers: { Accept: "text/html" } });
        const text = await answer.text();
        page = new DOMParser().parseFromString(text, "text/html");
        // A server that was started again, or has too much to do, answers in plain words.
        if (!page.querySelector("main")) {
          if (number === asked) news(text);
          return;
        }
      } catch {
        if (number === asked) news("The inspector does not answer. It was ended, or the machine sleeps.");
        return;
      } finally {
        clearInterval(waiting);
        if (number === asked) document.body.classList.remove("busy");
      }
      if (number !== asked) return;
      if (isNew) history.pushState(null, "", url);
      else history.replaceState(null, "", url);
      document.title = page.title;
      const active = document.activeElement;
      const focus = active && active.id ? active.id : null;
      for (const part of ["main", "#moment", "header"]) {
        const [old, fresh] = [document.querySelector(part), page.querySelector(part)];
        if (old && fresh) old.replaceWith(document.adoptNode(fresh));
      }
      if (focus && document.getElementById(focus)) document.getElementById(focus).focus();
      prepare();
    }

    function news(text) {
      const place = document.getElementById("news");
      if (place) place.textContent = text;
    }

    function ends(plot) { return plot.dataset.ends.split(","); }

    function column(plot, event) {
      const box = plot.getBoundingClientRect();
      const count = ends(plot).length;
      return Math.max(0, Math.min(count - 1, Math.floor((event.clientX - box.left) / box.width * count)));
    }

    // One page at a time is asked for: while it is made, only the last place of the handle is kept.
    let next = null;
    let isAsking = false;
    async function look(at) {
      next = at;
      if (isAsking) return;
      isAsking = true;
      while (next !== null) {
        const moment = next;
        next = null;
        await show(address({ at: moment }), false);
      }
      isAsking = false;
    }

    function prepareHandle() {
      const handle = document.getElementById("handle");
      const timeline = document.getElementById("timeline");
      if (!handle || !timeline) return;
      const list = ends(timeline);
      handle.addEventListener("input", () => {
        const at = list[Number(handle.value)];
        handle.setAttribute("aria-valuetext", `event ${at}`);
        look(at);
      });
      // A drag on the timeline chooses a range; a click chooses a moment.
      let start = null;
      timeline.addEventListener("pointerdown", (event) => {
        start = column(timeline, event);
        timeline.setPointerCapture(event.pointerId);
      });
      timeline.addEventListener("pointerup", (event) => {
        if (start === null) return;
        const end = column(timeline, event);
        const [low, high] = [Math.min(start, end), Math.max(start, end)];
        start = null;
        if (high - low < 3) {
          show(address({ at: list[high] }), true);
        } else if (list[low] !== list[high]) {
          show(address({ from: list[low], to: list[high] }), true);
        }
      });
    }

    function prepare() {
      prepareHandle();
      for (const link of document.querySelectorAll("a.slow")) {
        link.onclick = (event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          show(link.href, true);
        };
      }
      for (const button of document.querySelectorAll("button.copy")) {
        button.hidden = false;
        button.onclick = async () => {
          await navigator.clipboard.writeText(button.dataset.copy);
          button.textContent = "Copied";
        };
      }
      const sql = document.getElementById("sql");
      if (sql) {
        sql.onkeydown = (event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) sql.form.requestSubmit();
        };
      }
    }

    // Asks for the head of the log and the server's work; a string if it refuses, null if it does not answer.
    async function ask() {
      try {
        const answer = await fetch("/live");
        if (!answer.ok) return "The inspector refuses: open the address that it printed last.";
        return await answer.json();
      } catch {
        return null;
      }
    }

    // Asks for new events. A page that shows the head shows the new one; others say how many there are.
    let isRebuilding = false;
    async function watch() {
      const place = document.getElementById("news");
      if (!place || document.hidden || document.body.classList.contains("busy")) return;
      const known = Number(place.dataset.head);
      const live = await ask();
      if (live === null) return news("The inspector does not answer. It was ended, or the machine sleeps.");
      if (typeof live === "string") return news(live);
      if (live.rebuild) {
        isRebuilding = true;
        return news(`Process ${live.rebuild} rebuilds the database.`);
      }
      if (isRebuilding) {
        isRebuilding = false;
        return news("The database was rebuilt.");
      }
      const head = live.head;
      if (head === known) return place.textContent === "The database was rebuilt." ? undefined : news("");
      const fields = document.querySelectorAll("input:not([type=range]), textarea");
      const isTyping = Array.from(fields).some((field) => field.value !== field.defaultValue)
        || (["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement.tagName)
          && document.activeElement.id !== "handle");
      if (place.dataset.live === "1" && !isTyping) return show(location.href, false);
      news(`${head - known} new events, up to event ${head}.`);
    }

    addEventListener("popstate", () => show(location.href, false));
    prepare();
    setInterval(watch, 2000);

    """
}
