"""What is wrong with the service of `service_lifecycle`: one table for each kind of trouble."""

from __future__ import annotations

from envwheel_swe.repair import Fault

C, S, A = "service.json", "server.py", "store.py"
OLD = '"/gadgets": "/zzprefix/gadgets"'
SETTINGS = (
    Fault("wrong_port", C, '"port": zzport', '"port": "zzport "', half='"port": zzpart'),
    Fault(
        "wrong_file",
        C,
        '"data/gadgets.json"',
        '"data/gadget.json"',
        half='"gadgets.json"',
        other='"./data/gadgets.json"',
    ),
    Fault("slash_at_end", C, '"prefix": "/zzprefix"', '"prefix": "zzprefix/"', half='"prefix": "/zzprefix/gadgets"'),
    Fault("limit_as_text", C, '"max_body": zzmost', '"max_body": "zzmost"', half='"max_body": zzmast'),
    Fault("old_path", C, OLD, '"/gadgets": "/gadgets"', half='"/gadget": "/zzprefix/gadgets"'),
    Fault("comma", C, '"/healthz",\n', '"/healthz"\n', half='"/healthz/",\n'),
)

LOADS = "        try:\n            value = json.loads(self.content)\n        except (ValueError, RecursionError):\n"
LENGTH = (
    '        self.send_header("Content-Type", "application/json")\n'
    '        self.send_header("Content-Length", str(len({})))\n'
)
SENDS = "        self.send_response(status)\n"
GADGET = '        return {"name": name, "stock": self.stocks[name]}\n'
ANSWERS = (
    Fault(
        "unknown_name",
        A,
        '        if name not in self.stocks:\n            raise Refused(404, "no such gadget")\n' + GADGET,
        GADGET,
        "asking for a gadget that is not there closes the connection without an answer",
        half='        return {"name": name, "stock": self.stocks.get(name, 0)}\n',
        other="        try:\n    "
        + GADGET
        + '        except KeyError:\n            raise Refused(404, "unknown") from None\n',
    ),
    Fault(
        "bad_json",
        S,
        LOADS + '            raise Refused(400, "the body is no JSON") from None\n',
        "        value = json.loads(self.content)\n",
        "a body that is no JSON closes the connection without an answer",
        half=LOADS + '            raise Refused(500, "the body is no JSON") from None\n',
        other=LOADS + '            raise Refused(400, "no JSON") from None\n',
    ),
    Fault(
        "no_delete",
        S,
        'self.allow("GET", "PUT", "DELETE")',
        'self.allow("GET", "PUT")',
        "no gadget can be deleted",
        half='self.allow("GET", "PUT", "DELETE", "POST", "PATCH")',
    ),
    Fault(
        "bytes_or_letters",
        S,
        "        data = json.dumps(value, ensure_ascii=False).encode()\n" + SENDS + LENGTH.format("data"),
        "        text = json.dumps(value, ensure_ascii=False)\n        data = text.encode()\n"
        + SENDS
        + LENGTH.format("text"),
        "answers about names like `Tür` arrive without their end",
        half='        text = json.dumps(value, ensure_ascii=False)\n        data = text.encode("latin-1", "replace")\n'
        + SENDS
        + LENGTH.format("text"),
        other="        data = json.dumps(value).encode()\n" + SENDS + LENGTH.format("data"),
    ),
    Fault(
        "encoded_names",
        S,
        "        return self.gadget(unquote(name), action)\n",
        "        return self.gadget(name, action)\n",
        "a name with a blank is filed as `a%20b`",
        half='        return self.gadget(name.replace("%20", " "), action)\n',
    ),
    Fault(
        "query_in_name",
        S,
        'self.route(self.path.partition("?")[0])',
        "self.route(self.path)",
        "a path with a `?` and something after it is not found",
        half='self.route(self.path.removesuffix("?"))',
        other='self.route(self.path.split("?", 1)[0])',
    ),
    Fault(
        "always_created",
        S,
        "return 201 if new else 200, gadget",
        "return 201, gadget",
        "setting the stock of an old gadget is answered with 201",
        half="return 200, gadget",
        other="return (201 if new else 200), gadget",
    ),
    Fault(
        "body_limit",
        S,
        '        if length > self.settings.max_body:\n            raise Refused(413, "the body is too long")\n',
        "",
        "bodies longer than `max_body` are taken",
        half='        if length >= self.settings.max_body:\n            raise Refused(413, "the body is too long")\n',
    ),
)

LEFT = '            left = self._gadget(name)["stock"] - count\n'
ENOUGH = '            if left < 0:\n                raise Refused(409, "not enough in stock")\n'
TAKEN = "            self.stocks[name] = left\n"
SAVED = "            self._save()\n"
PROCESS = (
    Fault(
        "cut_off",
        S,
        "    daemon_threads = False\n",
        "    daemon_threads = True\n",
        "requests that have begun when SIGTERM comes get no answer",
        half="    daemon_threads = True\n    block_on_close = True\n",
    ),
    Fault(
        "shell_in_between",
        "start.sh",
        "exec /usr/bin/python3",
        "/usr/bin/python3",
        "SIGTERM does not end a service that was started by `start.sh`",
        half="setsid /usr/bin/python3",
    ),
    Fault(
        "lost_on_kill",
        A,
        LEFT + ENOUGH + TAKEN + SAVED,
        LEFT + ENOUGH + TAKEN,
        "what was taken is in stock again after the power failed",
        half=LEFT + ENOUGH + SAVED + TAKEN,
    ),
)

LOAD = (
    "        try:\n            settings.load()\n"
    "        except WrongSettings as error:\n            print(error, file=sys.stderr)\n"
)
PREFIX = '        prefix = values["prefix"]\n        if not isinstance(prefix, str) or'
RELOAD = (
    Fault(
        "bad_reload_kills",
        S,
        LOAD + "\n    def stop",
        "        settings.load()\n\n    def stop",
        "SIGHUP with a wrong configuration ends the service",
        half=LOAD + "            settings.aliases = {}\n\n    def stop",
    ),
    Fault(
        "half_reload",
        "settings.py",
        PREFIX,
        '        self.aliases = values["aliases"]\n' + PREFIX,
        "after SIGHUP with a wrong configuration parts of it are in force",
        half="        self.max_body = max_body\n" + PREFIX,
    ),
    Fault(
        "no_reload",
        S,
        "    signal.signal(signal.SIGHUP, reload)\n",
        "",
        "SIGHUP ends the service",
        half="    signal.signal(signal.SIGHUP, signal.SIG_IGN)\n",
    ),
)

BESIDE = '        with open(beside, "w", encoding="utf-8") as file:\n'
NAME = (
    '        name, _, action = path[len(start) :].partition("/")\n        return self.gadget(unquote(name), action)\n'
)
DEEP = (
    Fault(
        "one_at_a_time",
        S,
        "class Server(ThreadingMixIn, HTTPServer):",
        "class Server(HTTPServer):",
        half="class Server(HTTPServer, ThreadingMixIn):",
    ),
    Fault(
        "all_addresses",
        S,
        'Server(("127.0.0.1", settings.port)',
        'Server(("", settings.port)',
        half='Server(("0.0.0.0", settings.port)',
    ),
    Fault(
        "decoded_too_early",
        S,
        NAME,
        '        name, _, action = unquote(path[len(start) :]).partition("/")\n'
        "        return self.gadget(name, action)\n",
        half='        name, slash, action = unquote(path[len(start) :]).rpartition("/")\n'
        '        if action != "take":\n            name, action = name + slash + action, ""\n'
        "        return self.gadget(name, action)\n",
    ),
    Fault(
        "true_is_a_number",
        A,
        "if type(stock) is not int or stock < 0:",
        "if not isinstance(stock, int) or stock < 0:",
        half="if not isinstance(stock, int) or stock is True or stock < 0:",
        other="if not isinstance(stock, int) or isinstance(stock, bool) or stock < 0:",
    ),
    Fault(
        "takes_nothing",
        A,
        "if type(count) is not int or count < 1:",
        "if type(count) is not int:",
        half="if type(count) is not int or count < 0:",
        other="if type(count) is not int or not count > 0:",
    ),
    Fault(
        "folder_of_the_caller",
        "settings.py",
        'os.path.join(os.path.dirname(self.path), values["data"])',
        'values["data"]',
        half='os.path.join(os.path.dirname(os.path.abspath(__file__)), values["data"])',
    ),
    Fault(
        "empty_port",
        "settings.py",
        'os.environ.get("PORT") or values["port"]',
        'os.environ.get("PORT", values["port"])',
        half='os.environ.get("PORT") or 8000',
        other='(os.environ.get("PORT", "") or values["port"])',
    ),
    Fault(
        "written_in_place",
        A,
        '        beside = self.path + ".new"\n' + BESIDE,
        "        beside = self.path\n" + BESIDE,
        other='        beside = self.path + "~"\n' + BESIDE,
    ),
    Fault(
        "refused_but_done",
        A,
        ENOUGH + TAKEN,
        TAKEN + ENOUGH,
        half="            self.stocks[name] = max(left, 0)\n" + ENOUGH,
    ),
)
"""Nobody has reported these."""
