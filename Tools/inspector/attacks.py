"""Attacks on the server of the inspector: each is refused, or has no effect."""
import hashlib
import itertools
import re
import socket
import time
import unittest
import urllib.parse

import catalogs


def setUpModule():
    global FOLDER, CATALOG, SERVER, HASTY
    FOLDER = catalogs.Folder()
    CATALOG = FOLDER.sounds()
    SERVER = catalogs.Server(CATALOG)
    # For what never ends.
    HASTY = catalogs.Server(CATALOG, patience=4)


def tearDownModule():
    HASTY.end()
    SERVER.end()
    FOLDER.remove()


def send(data):
    """Sends bytes and returns all that the server answers until it closes. One that does not close is an error."""
    with socket.create_connection(("127.0.0.1", SERVER.port), timeout=catalogs.PATIENCE) as connection:
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = b""
        try:
            while part := connection.recv(65536):
                answer += part
        except ConnectionResetError:
            pass
        return answer.decode(errors="replace")


def request(path, method="GET", host=None, cookie=None, server=None, **headers):
    """Asks for a page with the cookie, unless another is given. Returns the status, the headers and the body."""
    server = server or SERVER
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{server.port}'}", "Connection: close",
             f"Cookie: {server.cookie if cookie is None else cookie}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    with socket.create_connection(("127.0.0.1", server.port), timeout=catalogs.PATIENCE) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    head, _, body = answer.decode().partition("\r\n\r\n")
    return int(head.split()[1]), head, body


def statement(sql, view="/sql", server=None):
    return request(f"{view}?sql={urllib.parse.quote(sql)}", server=server)


class Access(unittest.TestCase):
    def test_the_token_becomes_a_cookie(self):
        status, head, _ = request(f"/sql?at=5&token={SERVER.token}", cookie="")
        self.assertEqual(status, 303)
        self.assertIn("\r\nLocation: /sql?at=5\r\n", head)
        self.assertIn("HttpOnly; SameSite=Strict", head)

    def test_no_token_or_a_wrong_one_is_refused(self):
        wrong = "0" * 64
        for path, cookie in (("/", ""), (f"/?token={wrong}", ""), (f"/?token={SERVER.token[:-1]}", ""), ("/?token=", ""),
                             ("/", f"catalog-inspector-{SERVER.port}={wrong}"), ("/live", "x=y"), ("/script.js", "")):
            self.assertEqual(request(path, cookie=cookie)[0], 403, path)

    def test_another_host_is_refused(self):
        for host in ("evil.example", f"evil.example:{SERVER.port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{SERVER.port}"):
            self.assertEqual(request("/", host=host)[0], 403, host)
        good = f"Host: 127.0.0.1:{SERVER.port}\r\n"
        for hosts in (good + "Host: evil.example\r\n", "Host: evil.example\r\n" + good, good + good, ""):
            answer = send(f"GET / HTTP/1.1\r\n{hosts}Cookie: {SERVER.cookie}\r\nConnection: close\r\n\r\n".encode())
            self.assertRegex(answer, r"^HTTP/1.1 4\d\d", hosts)

    def test_another_page_is_refused(self):
        self.assertEqual(request("/", Origin="https://evil.example")[0], 403)
        self.assertEqual(request("/", Origin="null")[0], 403)
        self.assertEqual(request("/", Sec_Fetch_Site="cross-site")[0], 403)
        self.assertEqual(request("/", Sec_Fetch_Site="same-site")[0], 403)
        self.assertEqual(request("/live", Origin=SERVER.root, Sec_Fetch_Site="same-origin")[0], 200)

    def test_each_answer_has_the_policy(self):
        for path, cookie in (("/", None), ("/nothing", None), ("/", ""), ("/script.js", None)):
            head = request(path, cookie=cookie)[1]
            self.assertIn("Content-Security-Policy: default-src 'none'; script-src 'self'", head)
            self.assertIn("X-Content-Type-Options: nosniff", head)

    def test_nothing_but_reading_is_answered(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT"):
            self.assertRegex(request("/", method=method)[1], r"^HTTP/1.1 4\d\d", method)
        self.assertEqual(request("/", method="HEAD")[2], "")

    def test_paths_lead_nowhere(self):
        for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/style.css/../../etc/passwd", "/%00", "/a" * 900,
                     f"http://evil.example/", "/operation/../sql"):
            status, _, body = request(path)
            self.assertIn(status, (400, 404), path)
            self.assertNotIn("root:", body)


class Bounds(unittest.TestCase):
    def test_fifty_megabytes_of_headers(self):
        before = SERVER.memory
        start = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{SERVER.port}\r\nCookie: {SERVER.cookie}\r\n".encode()
        self.assertNotIn("HTTP/1.1 200", send(start + b"X-A: " + b"a" * (50 << 20) + b"\r\n\r\n"))
        self.assertNotIn("HTTP/1.1 200", send(start + b"X-A: b\r\n" * (50 << 17) + b"\r\n"))
        self.assertNotIn("HTTP/1.1 200", send(b"GET /" + b"a" * (50 << 20)))
        self.assertLess(SERVER.memory - before, 100 << 20)
        self.assertEqual(request("/live")[0], 200)

    def test_a_half_request_is_closed(self):
        self.assertNotIn("HTTP/1.1 200", send(b"GET / HTTP/1.1\r\nHost: "))

    def test_a_request_byte_by_byte_is_closed(self):
        begin = time.monotonic()
        with socket.create_connection(("127.0.0.1", SERVER.port), timeout=catalogs.PATIENCE) as connection:
            with self.assertRaises((BrokenPipeError, ConnectionResetError)):
                for byte in itertools.chain(b"GET / HTTP/1.1\r\n", itertools.cycle(b"X: y\r\n")):
                    connection.sendall(bytes([byte]))
                    time.sleep(0.2)
                    if time.monotonic() - begin > catalogs.PATIENCE:
                        break

    def test_many_connections_leave_room_again(self):
        connections = []
        try:
            for _ in range(300):
                connections.append(socket.create_connection(("127.0.0.1", SERVER.port), timeout=catalogs.PATIENCE))
        finally:
            for connection in connections:
                connection.close()
        deadline = time.monotonic() + catalogs.PATIENCE
        while time.monotonic() < deadline:
            try:
                if request("/live")[0] == 200:
                    return
            except (OSError, IndexError):
                time.sleep(0.1)
        self.fail("the server does not answer after many connections")

    def test_no_http_is_closed(self):
        for data in (b"\x16\x03\x01\x02\x00", b"\x00" * 5000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
            self.assertNotIn("HTTP/1.1 200", send(data))
        self.assertEqual(request("/live")[0], 200)


class Statements(unittest.TestCase):
    def digest(self):
        return hashlib.sha256((CATALOG / "catalog.sqlite").read_bytes()).hexdigest()

    def test_what_writes_is_refused(self):
        other = FOLDER.path / "other.sqlite"
        before = self.digest()
        for sql in ("DELETE FROM pack", "DROP TABLE pack", "UPDATE pack SET title = 'x'", f"ATTACH '{other}' AS o", f"VACUUM INTO '{other}'",
                    "PRAGMA writable_schema = 1", "PRAGMA journal_mode = DELETE", "CREATE TEMP TABLE t(a)", "BEGIN IMMEDIATE",
                    "SELECT 1; DELETE FROM pack", "SELECT load_extension('x')", "INSERT INTO pack DEFAULT VALUES RETURNING 1",
                    "SELECT writefile('x', 'y')", "SELECT readfile('/etc/passwd')", ""):
            for view in ("/sql", "/answer"):
                status, _, body = statement(sql, view)
                self.assertIn(status, (200, 400), sql)
                self.assertNotIn("root:", body)
        self.assertEqual(before, self.digest())
        self.assertFalse(other.exists())
        catalogs.run("verify", catalog=CATALOG)

    def test_what_runs_for_ever_is_stopped(self):
        forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
        for view, what in (("/sql", "count(*) FROM n"), ("/answer", "count(*) FROM n"), ("/sql", "i FROM n WHERE i < 0")):
            self.assertIn("longer", statement(forever + what, view, HASTY)[2])
        self.assertEqual(request("/live")[0], 200)

    def test_a_client_that_goes_stops_its_statement(self):
        server = catalogs.Server(CATALOG, patience=3_600)
        self.addCleanup(server.end)
        history = CATALOG / "history.sqlite"
        self.assertEqual(statement("SELECT 1", server=server)[0], 200)
        sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        lines = (f"GET /sql?sql={urllib.parse.quote(sql)} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                 f"Cookie: {server.cookie}\r\n\r\n").encode()
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(7)]
        for client in clients:
            client.sendall(lines)
        end = time.monotonic() + 120
        while server.opens(history) < len(clients) and time.monotonic() < end:
            time.sleep(0.01)
        # One more page is made while they run.
        self.assertEqual(request("/events", server=server)[0], 200)
        for client in clients:
            client.close()
        while server.opens(history) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(server.opens(history), 0)
        self.assertEqual(request("/live", server=server)[0], 200)

    def test_what_eats_memory_is_stopped(self):
        for sql in ("SELECT zeroblob(1000000000)", "SELECT hex(randomblob(500000000))",
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT group_concat(hex(zeroblob(9999))) FROM n LIMIT 1"):
            self.assertIn('role="alert"', statement(sql, server=HASTY)[2], sql)
        self.assertEqual(request("/live")[0], 200)

    def test_numbers_beyond_all_plots(self):
        for numbers in ("1.7e308 ELSE -1.7e308", "9e999 ELSE -9e999", "9223372036854775807 ELSE -9223372036854775808", "1e-320 ELSE 0"):
            sql = f"SELECT CASE WHEN (SELECT count(*) FROM library_item) > 5 THEN {numbers} END"
            self.assertEqual(statement(sql, "/answer")[0], 200, sql)

    def test_lines_of_a_statement_come_back(self):
        sql = "SELECT 1 AS a,\r\n\t2 AS b -- <x>"
        body = statement(sql)[2]
        self.assertIn('spellcheck="false">\nSELECT 1 AS a,&#10;&#9;2 AS b -- &lt;x&gt;</textarea>', body)
        self.assertNotIn("\\u{a}", body)
        self.assertEqual(statement("SELECT 1\0; x")[0], 400)
        self.assertEqual(request("/sql?sql=%ff")[0], 400)

    def test_a_large_answer_is_cut_and_said_so(self):
        rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT i FROM n"
        self.assertIn("the first 500 rows", statement(rows)[2])
        status, head, body = request(f"/sql?format=csv&sql={urllib.parse.quote(rows)}")
        self.assertEqual((status, body.count("\n")), (200, 20_001))


class Markup(unittest.TestCase):
    """Text that is markup is text on each page of each kind."""

    def check(self, server, paths):
        found = False
        for path in paths:
            status, head, body = request(path, server=server)
            self.assertEqual(status, 200, path)
            for sign in ("<img", "<script>alert", "\u202e"):
                self.assertNotIn(sign, body, path)
            found = found or "&lt;img" in body
        self.assertTrue(found, "no page shows the hostile text")

    def paths(self, catalog, tables):
        rows = [f"/row?table={table}" for table in tables]
        return (["/", "/operation", "/operation?event=2", "/truth?compare=rows", "/events", "/events?search=img", "/events?search=%3Cimg%3E",
                 "/answer?sql=SELECT+%27%3Cimg%3E%27", "/sql?sql=SELECT+%27%3Cimg%3E%27+AS+%22%3Cimg%3E%22", "/row?table=%3Cimg%3E"][:-1]
                + [f"/sql?sql=SELECT+*+FROM+{table}" for table in tables] + rows)

    def test_sounds(self):
        self.check(SERVER, self.paths(CATALOG, ["mood", "item_mood"]))
        status, _, body = request("/row?table=%3Cimg%3E")
        self.assertEqual(status, 400)
        self.assertNotIn("<img", body)

    def kind(self, catalog):
        server = catalogs.Server(catalog)
        try:
            body = request("/sql", server=server)[2]
            tables = re.findall(r'<summary><span class="code">(\w+)</span>', body)
            self.assertGreater(len(tables), 3)
            self.check(server, self.paths(catalog, tables))
        finally:
            server.end()

    def test_tracks(self):
        self.kind(FOLDER.tracks())

    def test_concerts(self):
        self.kind(FOLDER.concerts())


class Catalogs(unittest.TestCase):
    """Catalogs that are not as they should be."""

    def serve(self, catalog, paths=("/", "/operation", "/row", "/truth?compare=rows", "/sql", "/events")):
        server = catalogs.Server(catalog)
        try:
            return [request(path, server=server) for path in paths]
        finally:
            server.end()

    def test_an_empty_catalog(self):
        catalog = FOLDER.path / "empty"
        catalogs.run("init", catalog=catalog)
        for status, _, body in self.serve(catalog):
            self.assertEqual(status, 200, body)

    def test_a_row_that_was_changed_by_hand(self):
        import sqlite3
        catalog = FOLDER.starter("drifted")
        with sqlite3.connect(catalog / "catalog.sqlite") as database:
            database.execute("UPDATE pack SET title = 'by hand' WHERE rowid = (SELECT min(rowid) FROM pack)")
        answers = self.serve(catalog)
        self.assertEqual([status for status, _, _ in answers], [200] * 6)
        self.assertIn("by hand", answers[3][2])
        self.assertIn("rebuild --keep-old", answers[3][2])

    def test_a_damaged_log(self):
        catalog = FOLDER.starter("damaged")
        segment = next((catalog / "events").glob("*.zst"))
        data = bytearray(segment.read_bytes())
        data[len(data) // 2] ^= 1
        segment.write_bytes(data)
        for status, _, body in self.serve(catalog):
            self.assertIn(status, (200, 400, 500))
            self.assertTrue("damaged" in body or status == 200, body)

    def test_the_command_becomes_the_server(self):
        server = catalogs.Server(CATALOG, by_command=True)
        try:
            self.assertEqual(request("/live", server=server)[0], 200)
        finally:
            server.end()

    def test_no_catalog_is_an_error_of_the_command(self):
        import subprocess
        done = subprocess.run(
            [str(catalogs.PROGRAMS / "catalogctl"), "serve", "--catalog", str(FOLDER.path / "nothing")], capture_output=True, text=True,
            check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no catalog", done.stderr)
