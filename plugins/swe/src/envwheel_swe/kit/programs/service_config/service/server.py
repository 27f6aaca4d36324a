"""The zzitem service; README.md says what it does."""

import http.server
import json
import os
import sys
from urllib.parse import parse_qs, unquote, urlsplit

from store import Conflict, Missing, Store


class Refused(Exception):
    """An answer with an error."""

    def __init__(self, status, text, **headers):
        super().__init__(text)
        self.status, self.text, self.headers = status, text, headers


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self):
        self.answer("GET")

    def do_PUT(self):
        self.answer("PUT")

    def do_DELETE(self):
        self.answer("DELETE")

    def do_POST(self):
        self.answer("POST")

    def answer(self, method):
        try:
            status, kind, body = self.respond(method)
            headers = {}
        except Missing:
            status, kind, body, headers = 404, "application/json", {"error": "not found"}, {}
        except Conflict:
            status, kind, body, headers = 412, "application/json", {"error": "another version"}, {}
        except Refused as error:
            status, kind, body, headers = error.status, "application/json", {"error": error.text}, error.headers
        if status >= 400:
            self.close_connection = True  # a body that was not read must not be taken for a request
        data = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("X-Service", "zzitems")
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def respond(self, method):
        """Status, content type and body of the answer."""
        url = urlsplit(self.path)
        base = self.server.config["prefix"] + "/zzitems"
        if url.path == "/health":
            self.allow(method, "GET")
            return 200, "text/plain", "ok\n"
        if url.path == base:
            self.allow(method, "GET")
            return 200, "application/json", self.server.store.all(self.least(url.query))
        id = unquote(url.path[len(base) + 1 :])
        if not url.path.startswith(base + "/") or not id or "/" in id:
            raise Refused(404, "no such path")
        self.allow(method, "DELETE", "GET", "PUT")
        return getattr(self, "item_" + method.lower())(id)

    def allow(self, method, *methods):
        if method not in methods:
            raise Refused(405, "method not allowed", Allow=", ".join(methods))

    def least(self, query):
        values = parse_qs(query, keep_blank_values=True).get("min")
        if not values:
            return None
        try:
            return int(values[0])
        except ValueError:
            raise Refused(400, "min is no whole number") from None

    def item_get(self, id):
        return 200, "application/json", self.server.store.get(id)

    def item_put(self, id):
        name, stock = self.body()
        zzitem, new = self.server.store.put(id, name, stock, self.headers.get("If-Match"))
        return 201 if new else 200, "application/json", zzitem

    def item_delete(self, id):
        self.server.store.delete(id, self.headers.get("If-Match"))
        return 204, None, None

    def body(self):
        """Name and stock of the request's body."""
        length = self.headers.get("Content-Length", "")
        if not length.isdigit():
            raise Refused(411, "length required")
        if int(length) > self.server.config["max_body"]:
            raise Refused(413, "body too long")
        try:
            given = json.loads(self.rfile.read(int(length)))
        except ValueError:
            raise Refused(400, "the body is no JSON") from None
        if not isinstance(given, dict) or set(given) != {"name", "stock"}:
            raise Refused(400, "the body is no object with name and stock")
        name, stock = given["name"], given["stock"]
        if not isinstance(name, str) or not name:
            raise Refused(400, "name is no text")
        if isinstance(stock, bool) or not isinstance(stock, int) or stock < 0:
            raise Refused(400, "stock is no number")
        return name, stock

    def log_message(self, format, *args):
        pass


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    data = os.environ.get("DATA") or os.path.join(os.path.dirname(os.path.abspath(path)), config["data"])
    server = http.server.ThreadingHTTPServer((config["host"], int(os.environ.get("PORT") or config["port"])), Handler)
    server.daemon_threads = True
    server.config, server.store = config, Store(data)
    server.serve_forever()


main()
