"""Each view of the inspector in Chromium, by clicking and typing."""
import json
import os
import pathlib
import sqlite3
import time
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import catalogs


def setUpModule():
    global FOLDER, CATALOG, SERVER, BROWSER
    FOLDER = catalogs.Folder()
    CATALOG = FOLDER.sounds()
    SERVER = catalogs.Server(CATALOG)
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
                     "--window-size=1280,1400"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    BROWSER = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    # The driver's answers are waited for as long as the scripts that they report, and a little longer.
    BROWSER.command_executor.client_config.timeout = 2 * catalogs.PATIENCE
    BROWSER.set_script_timeout(catalogs.PATIENCE)
    BROWSER.set_page_load_timeout(catalogs.PATIENCE)
    BROWSER.get(SERVER.address)


def tearDownModule():
    BROWSER.quit()
    SERVER.end()
    FOLDER.remove()


def find(selector):
    return BROWSER.find_element(By.CSS_SELECTOR, selector)


def text(selector="main"):
    return find(selector).text


def wait(condition, words):
    """Waits until a condition is true; a part of the page may be replaced meanwhile."""
    def tried(_):
        try:
            return condition()
        except Exception:
            return False
    WebDriverWait(BROWSER, catalogs.PATIENCE).until(tried, words)


class Case(unittest.TestCase):
    def setUp(self):
        BROWSER.set_window_size(1280, 1400)
        BROWSER.get(SERVER.root + "/")
        BROWSER.get_log("browser")
        BROWSER.get_log("performance")

    def tearDown(self):
        """No message on the console but of answers that were refused on purpose, and no request to another host."""
        messages = [entry for entry in BROWSER.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual([m["message"] for m in messages if "400 (Bad Request)" not in m["message"]], [])
        for entry in BROWSER.get_log("performance"):
            if '"Network.requestWillBeSent"' in entry["message"]:
                url = entry["message"].partition('"url":"')[2].partition('"')[0]
                self.assertTrue(url.startswith((SERVER.root, "chrome:", "data:", "about:")), url)

    def open(self, name):
        for link in BROWSER.find_elements(By.CSS_SELECTOR, "nav a"):
            if link.text == name:
                link.click()
                wait(lambda: find("nav a[aria-current]").text == name, name)
                return
        self.fail(f"there is no link {name}")

    def type(self, selector, words):
        field = find(selector)
        field.clear()
        field.send_keys(words)

    def draw(self, sql):
        self.type("#sql", sql)
        find("#sql").send_keys(Keys.CONTROL, Keys.ENTER)
        wait(lambda: "sql=" in BROWSER.current_url and find("#sql").get_attribute("value") == sql, sql)


class Views(Case):
    def test_an_answer_and_the_operation_that_changed_it(self):
        self.draw("SELECT count(*) FROM item_mood")
        wait(lambda: "changes" in text("#summary"), "the curve")
        count = int(catalogs.run("query", "SELECT count(*) FROM item_mood", catalog=CATALOG).split()[-1])
        self.assertIn(f"to {count} ", text("#summary"))
        rows = BROWSER.find_elements(By.CSS_SELECTOR, "#answers tbody tr")
        listed = catalogs.run("history", "count", "SELECT count(*) FROM item_mood", catalog=CATALOG).splitlines()[1:]
        self.assertEqual([row.find_elements(By.TAG_NAME, "td")[3].text for row in reversed(rows)], [line.split()[-1] for line in listed])
        rows[0].find_element(By.LINK_TEXT, "operation").click()
        wait(lambda: "Operation" == find("nav a[aria-current]").text, "the operation")
        self.assertIn("item.tag", text())
        self.assertIn("revert", text())
        # The row that it changed, and back.
        place = BROWSER.current_url
        find("#changes tbody tr a").click()
        wait(lambda: "Row" == find("nav a[aria-current]").text, "the row")
        wait(lambda: find("#history"), "its changes")
        BROWSER.back()
        wait(lambda: BROWSER.current_url == place and find("#operation"), "back")

    def test_a_rebuild_is_shown(self):
        # What a process that rebuilds the database has beside it.
        mark = pathlib.Path(CATALOG) / f".catalog.sqlite.rebuild-{os.getpid()}"
        mark.touch()
        wait(lambda: f"Process {os.getpid()} rebuilds" in text("#news"), "the rebuild")
        mark.unlink()
        wait(lambda: "was rebuilt" in text("#news"), "its end")

    def test_truth_values_and_texts_are_bands(self):
        self.draw("SELECT count(*) > 100 FROM library_item")
        self.assertEqual([item.text for item in BROWSER.find_elements(By.CSS_SELECTOR, ".legend li")], ["1", "0"])
        self.draw("SELECT max(name) FROM mood")
        self.assertGreaterEqual(len(BROWSER.find_elements(By.CSS_SELECTOR, ".legend li")), 2)
        self.draw("SELECT 1 WHERE 0")
        self.assertIn("NULL", text("#summary"))
        self.draw("SELECT a FROM nowhere")
        self.assertIn("no such table", text("[role=alert]"))

    def test_the_columns_of_a_row_are_those_of_blame(self):
        self.open("Row")
        BROWSER.get(f"{SERVER.root}/row?table=library_item&key={FOLDER.items[0]}")
        names = [cell.text for cell in BROWSER.find_elements(By.CSS_SELECTOR, "#columns tbody th")]
        blamed = catalogs.run("blame", "library_item", FOLDER.items[0], catalog=CATALOG)
        for name in names:
            self.assertIn(f"{name} = ", blamed)
        self.assertIn("Nowhere", text("#joined"))
        self.assertIn("item_mood", text("#references"))
        find("#references a").click()
        wait(lambda: "SQL" == find("nav a[aria-current]").text, "the rows that refer to it")
        self.assertTrue(BROWSER.find_elements(By.CSS_SELECTOR, "#result tbody tr"))

    def test_the_items_that_a_facet_counts_are_followed_from_its_tag(self):
        facet = json.loads(catalogs.run("facets", "sfx", "--format", "json", catalog=CATALOG))["creatureTypes"]
        tag = facet[0]
        BROWSER.get(f"{SERVER.root}/row?table=creature_type&key={tag['id']}")
        self.assertIn(f"{tag['count']} in item_creature_type", text("#references h4"))
        links = BROWSER.find_elements(By.CSS_SELECTOR, "#referring-item_creature_type-creature_type_id tbody td:nth-child(2) a")
        self.assertEqual(len(links), min(20, tag["count"]))
        name = links[0].text
        links[0].click()
        wait(lambda: name in text("main h2"), "the item")
        self.assertIn(tag["name"], text("#joined"))

    def test_sql_at_a_moment(self):
        self.open("SQL")
        self.draw("SELECT count(*) FROM item_location")
        live = text("#result tbody")
        self.type("input[name=at]", "1")
        find("form.moment button").click()
        wait(lambda: "at=1" in BROWSER.current_url, "the moment")
        self.assertEqual(text("#result tbody"), "0")
        self.assertNotEqual(live, "0")
        command = find(".command code").text
        self.assertIn("--at 1", command)
        find("button.copy").click()
        for link in ("CSV", "JSON"):
            self.assertIn("format=", BROWSER.find_element(By.LINK_TEXT, link).get_attribute("href"))

    def test_events_step_by_step(self):
        self.open("Events")
        self.type("input[name=search]", "Nowhere")
        find("form.fields button").click()
        wait(lambda: "search=Nowhere" in BROWSER.current_url, "the search")
        self.assertRegex(text("#found"), r"^[12] event")
        find("#events tbody a").click()
        wait(lambda: find("#event"), "the event")
        self.assertIn("Nowhere", text("#event"))
        number = int(BROWSER.current_url.partition("event=")[2].partition("&")[0])
        BROWSER.find_element(By.PARTIAL_LINK_TEXT, "◀ event").click()
        wait(lambda: f"event={number - 1}" in BROWSER.current_url and f'"seq" : {number - 1}' in text("#event"), "the event before")
        BROWSER.find_element(By.LINK_TEXT, "its operation").click()
        wait(lambda: find("#operation"), "its operation")

    def test_two_moments_side_by_side(self):
        self.open("Truth")
        self.type("input[name=other]", "1")
        find("form.fields button").click()
        wait(lambda: "other=1" in BROWSER.current_url, "the moments")
        self.assertIn("differ", text("#differing"))
        BROWSER.find_element(By.LINK_TEXT, "Compare all rows now").click()
        wait(lambda: "No drift" in text("#drift"), "the comparison")

    def test_drift_is_found(self):
        catalog = FOLDER.starter("drift")
        with sqlite3.connect(catalog / "catalog.sqlite") as database:
            database.execute("DELETE FROM item_mood WHERE rowid IN (SELECT min(rowid) FROM item_mood)"
                             if database.execute("SELECT count(*) FROM pragma_table_list WHERE name = 'item_mood' AND wr = 0").fetchone()[0]
                             else "UPDATE pack SET title = 'by hand'")
        server = catalogs.Server(catalog)
        try:
            BROWSER.get(server.address)
            BROWSER.get(server.root + "/truth?compare=rows")
            self.assertIn("difference", text("#drift"))
            self.assertIn("rebuild --keep-old", text("#drift"))
            self.assertTrue(BROWSER.find_elements(By.CSS_SELECTOR, "#drift-rows tbody tr"))
        finally:
            BROWSER.get("about:blank")
            BROWSER.get_log("performance")
            server.end()


class Moments(Case):
    def test_the_handle_moves_all_views(self):
        self.open("SQL")
        self.draw("SELECT count(*) FROM item_mood")
        live = text("#result tbody")
        handle = find("#handle")
        handle.send_keys(Keys.HOME)
        wait(lambda: "at=1" in BROWSER.current_url and text("#result tbody") == "0", "the first state")
        wait(lambda: BROWSER.switch_to.active_element.get_attribute("id") == "handle", "the focus stays")
        find("#handle").send_keys(Keys.END)
        wait(lambda: text("#result tbody") == live, "the last state")
        BROWSER.refresh()
        self.assertEqual(text("#result tbody"), live)

    def test_a_drag_on_the_timeline_is_a_range(self):
        self.draw("SELECT count(*) FROM item_mood")
        whole = text("#summary")
        timeline = find("#timeline")
        width = timeline.size["width"]
        ActionChains(BROWSER).move_to_element_with_offset(timeline, -width // 4, 5).click_and_hold().move_by_offset(
            width // 2, 0).release().perform()
        wait(lambda: "from=" in BROWSER.current_url and "to=" in BROWSER.current_url, "the range")
        wait(lambda: text("#summary") != whole, "the answer of the range")
        ranged = text("#summary")
        BROWSER.refresh()
        self.assertEqual(text("#summary"), ranged)
        BROWSER.back()
        wait(lambda: "from=" not in BROWSER.current_url and text("#summary") == whole, "back")

    def test_a_click_on_the_timeline_is_a_moment(self):
        timeline = find("#timeline")
        ActionChains(BROWSER).move_to_element_with_offset(timeline, 0, 5).click().perform()
        wait(lambda: "at=" in BROWSER.current_url, "the moment")

    def test_steps_from_batch_to_batch(self):
        BROWSER.find_element(By.PARTIAL_LINK_TEXT, "◀ batch").click()
        wait(lambda: "at=" in BROWSER.current_url, "the batch before")
        before = BROWSER.current_url
        BROWSER.find_element(By.PARTIAL_LINK_TEXT, "batch ▶").click()
        wait(lambda: BROWSER.current_url != before, "the batch after")

    def test_what_another_program_appends_is_shown(self):
        self.draw("SELECT count(*) FROM item_mood")
        head = int(find("#news").get_attribute("data-head"))
        ActionChains(BROWSER).move_to_element(find("h1")).click().perform()
        catalogs.run("tag", "add", FOLDER.items[2], "--mood", f"live {head}", catalog=CATALOG)
        wait(lambda: int(find("#news").get_attribute("data-head")) > head, "the new head")
        self.assertIn(f"after event {find('#news').get_attribute('data-head')}", text("#summary"))
        # At an earlier moment the page says that there is more.
        BROWSER.get(f"{SERVER.root}/answer?at=1")
        ActionChains(BROWSER).move_to_element(find("h1")).click().perform()
        catalogs.run("tag", "remove", FOLDER.items[2], "--mood", f"live {head}", catalog=CATALOG)
        wait(lambda: "new events" in text("#news"), "the news")


PAGES = ["/answer", "/answer?sql=SELECT+count(*)>100+FROM+library_item", "/answer?sql=SELECT+max(name)+FROM+mood", "/operation",
         "/operation?event=5", "/row", "/row?table=item_mood", "/truth?compare=rows&other=1", "/sql?sql=SELECT+*+FROM+mood", "/events",
         "/events?event=4", "/sql?sql=nonsense", "/nothing"]


class Everybody(Case):
    def pages(self):
        return PAGES + [f"/row?table=library_item&key={FOLDER.items[0]}"]

    def tearDown(self):
        BROWSER.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        BROWSER.get_log("browser")

    def test_axe_finds_nothing(self):
        script = next((catalogs.ROOT / ".build-python" / "axe_core_python").rglob("axe.min.js")).read_text()
        for scheme in ("light", "dark"):
            BROWSER.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for page in self.pages():
                BROWSER.get(SERVER.root + page)
                BROWSER.execute_script(script)
                found = BROWSER.execute_async_script("const done = arguments[0]; axe.run().then((r) => done(r.violations));")
                words = [(v["id"], [node["html"][:200] for node in v["nodes"]][:2]) for v in found]
                self.assertEqual(words, [], f"{page}, {scheme}")

    def test_no_page_is_wider_than_the_screen(self):
        for width in (390, 1024, 2560):
            BROWSER.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
            try:
                for page in self.pages():
                    BROWSER.get(SERVER.root + page)
                    self.assertLessEqual(BROWSER.execute_script("return document.documentElement.scrollWidth"), width, page)
            finally:
                BROWSER.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_without_scripts_each_page_works(self):
        BROWSER.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            BROWSER.get(SERVER.root + "/sql")
            self.type("#sql", "SELECT count(*) FROM pack")
            find("form.statement button").click()
            wait(lambda: "sql=SELECT" in BROWSER.current_url and BROWSER.find_elements(By.ID, "result"), "the answer")
        finally:
            BROWSER.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def test_the_keyboard_reaches_all(self):
        BROWSER.get(SERVER.root + "/answer")
        seen = set()
        for _ in range(40):
            BROWSER.switch_to.active_element.send_keys(Keys.TAB)
            active = BROWSER.switch_to.active_element
            seen.add(active.get_attribute("id") or active.get_attribute("name") or active.text)
        for name in ("To the content", "Answer over time", "SQL", "handle", "at", "sql", "Draw"):
            self.assertIn(name, seen)
