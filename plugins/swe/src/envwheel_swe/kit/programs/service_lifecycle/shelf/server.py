"""The HTTP side: server.py CONFIG."""

import json
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn
from urllib.parse import unquote

from settings import Settings, WrongSettings
from store import Refused, Store


class Handler(BaseHTTPRequestHandler):
    """One request. `settings` and `store` are set by `main`."""

    settings = store = None
    content = b""

    def handle_request(self):
        try:
            self.receive()
            status, value = self.route(self.path.partition("?")[0])
        except Refused as refused:
            status, value = refused.status, {"error": str(refused)}
        self.answer(status, value)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = handle_request

    def route(self, path):
        """Status and JSON value for `path`."""
        location = self.settings.aliases.get(path)
        if location is not None:
            return 301, {"location": location}
        if path == "/healthz":
            self.allow("GET")
            return 200, {"status": "ok"}
        if path == self.settings.prefix + "/gadgets":
            self.allow("GET")
            return 200, self.store.names()
        start = self.settings.prefix + "/gadgets/"
        if not path.startswith(start):
            raise Refused(404, "no such path")
        name, _, action = path[len(start) :].partition("/")
        return self.gadget(unquote(name), action)

    def gadget(self, name, action):
        """What is done with one gadget."""
        if action == "take":
            self.allow("POST")
            return 200, self.store.take(name, self.body().get("count"))
        if action or not name:
            raise Refused(404, "no such path")
        self.allow("GET", "PUT", "DELETE")
        if self.command == "PUT":
            gadget, new = self.store.put(name, self.body().get("stock"))
            return 201 if new else 200, gadget
        if self.command == "DELETE":
            return 200, self.store.delete(name)
        return 200, self.store.get(name)

    def allow(self, *methods):
        if self.command not in methods:
            raise Refused(405, "use " + ", ".join(methods))

    def receive(self):
        """Take the body off the connection, also where nobody asks for it: else the client may lose the answer."""
        text = self.headers.get("Content-Length", "0")
        if not (text.isascii() and text.isdigit()):
            raise Refused(400, "no good Content-Length")
        length = int(text)
        self.content = self.rfile.read(min(length, 1_000_000))
        if length > self.settings.max_body:
            raise Refused(413, "the body is too long")

    def body(self):
        """The body as a dictionary."""
        try:
            value = json.loads(self.content)
        except (ValueError, RecursionError):
            raise Refused(400, "the body is no JSON") from None
        if not isinstance(value, dict):
            raise Refused(400, "the body is no JSON object")
        return value

    def answer(self, status, value):
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if status == 301:
            self.send_header("Location", value["location"])
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


class Server(ThreadingMixIn, HTTPServer):
    """Waits at its end for the requests that have begun."""

    daemon_threads = False
    request_queue_size = 64


def main():
    try:
        settings = Settings(sys.argv[1])
    except WrongSettings as error:
        print(error, file=sys.stderr)
        return 2
    Handler.settings, Handler.store = settings, Store(settings.data)
    server = Server(("127.0.0.1", settings.port), Handler, bind_and_activate=False)

    def reload(*_):
        try:
            settings.load()
        except WrongSettings as error:
            print(error, file=sys.stderr)

    def stop(*_):
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGHUP, reload)
    signal.signal(signal.SIGTERM, stop)
    server.server_bind()
    server.server_activate()
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
