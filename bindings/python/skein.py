"""skein in a Python program: the HTTP API (docs/api.md) on a store, without a server.

    with skein.open("sqlite:talk.db") as store:
        store.call("POST", "/worlds", {"name": "lab"})
        for world in store.call("GET", "/worlds").body["data"]:
            print(world["name"])

Uses ctypes and libskein only. SKEIN_LIBRARY names the library where the system does not find it.
"""

import ctypes
import ctypes.util
import json
import os


class Text(ctypes.Structure):
    _fields_ = [("p", ctypes.c_char_p), ("n", ctypes.c_size_t)]


class Header(ctypes.Structure):
    _fields_ = [("name", Text), ("value", Text)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("store", Text), ("max_text", ctypes.c_size_t),
                ("read_only", ctypes.c_bool)]


class Problem(ctypes.Structure):
    _fields_ = [("rc", ctypes.c_int), ("message", ctypes.c_char * 400), ("hint", ctypes.c_char * 240)]


class Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("method", Text), ("path", Text),
                ("headers", ctypes.POINTER(Header)), ("header_count", ctypes.c_size_t), ("body", Text),
                ("files", Text)]


class RawAnswer(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("type", Text), ("headers", ctypes.POINTER(Header)),
                ("header_count", ctypes.c_size_t), ("body", Text)]


class Error(Exception):
    """A request that failed. `body` is the problem document: code, detail, hint and more."""

    def __init__(self, message, status=None, body=None):
        super().__init__(message)
        self.status = status
        self.body = body


class Answer:
    """status, headers (names in lower case) and body: what the JSON says, or bytes of another type."""

    def __init__(self, raw):
        bytes_of = lambda t: ctypes.string_at(t.p, t.n) if t.n else b""
        self.status = raw.status
        self.headers = {bytes_of(raw.headers[i].name).decode().lower(): bytes_of(raw.headers[i].value).decode()
                        for i in range(raw.header_count)}
        self.type = bytes_of(raw.type).decode()
        self.body = bytes_of(raw.body)
        media = self.type.split(";")[0].strip()
        if self.body and (media == "application/json" or media.endswith("+json")):
            self.body = json.loads(self.body)


def load():
    """The library, with the types of what is called here."""
    name = os.environ.get("SKEIN_LIBRARY") or ctypes.util.find_library("skein") or "libskein.so.0"
    lib = ctypes.CDLL(name)
    p, engine = ctypes.POINTER, ctypes.c_void_p
    lib.skein_open.argtypes = [p(engine), p(Options), p(Problem)]
    lib.skein_close.argtypes = [engine]
    lib.skein_close.restype = None
    lib.skein_mem_new.restype = ctypes.c_void_p
    lib.skein_mem_free.argtypes = [ctypes.c_void_p]
    lib.skein_mem_free.restype = None
    lib.skein_call.argtypes = [engine, p(Request), ctypes.c_void_p, p(RawAnswer), p(Problem)]
    lib.skein_wait.argtypes = [engine, ctypes.c_int64, ctypes.c_int64, p(ctypes.c_int64), p(Problem)]
    return lib


def text(value):
    """A text for the library, which must be kept while it is used."""
    value = value.encode() if isinstance(value, str) else value
    return Text(value, len(value)) if value is not None else Text(None, 0)


class Store:
    """An open store. Several threads may use it at once. `files` is the folder that context files are read in."""

    def __init__(self, address, read_only=False, files=None):
        self.lib = load()
        self.files = files
        self.engine = ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), text(address), 0, read_only)
        problem = Problem()
        if self.lib.skein_open(ctypes.byref(self.engine), ctypes.byref(options), ctypes.byref(problem)):
            raise Error(f"{problem.message.decode()}. {problem.hint.decode()}".strip())

    def opened(self):
        """The engine; what is called with none would end the program."""
        if not self.engine:
            raise Error("the store is closed")
        return self.engine

    def call(self, method, path, body=None, headers=None):
        """One request, answered in this process. What fails raises Error."""
        engine = self.opened()
        given = [(text(k), text(v)) for k, v in (headers or {}).items()]
        payload = json.dumps(body) if isinstance(body, (dict, list)) else body
        list_of = (Header * len(given))(*(Header(k, v) for k, v in given))
        request = Request(ctypes.sizeof(Request), text(method), text(path), list_of, len(given), text(payload),
                          text(self.files))
        raw, problem, mem = RawAnswer(), Problem(), self.lib.skein_mem_new()
        try:
            failed = self.lib.skein_call(engine, ctypes.byref(request), mem, ctypes.byref(raw),
                                         ctypes.byref(problem))
            answer = Answer(raw)
        finally:
            self.lib.skein_mem_free(mem)
        if failed:
            raise Error(problem.message.decode(), answer.status, answer.body)
        return answer

    def wait(self, after, seconds):
        """Waits for an event after this one, of any process; gives the number of the newest event."""
        newest, problem = ctypes.c_int64(), Problem()
        if self.lib.skein_wait(self.opened(), after, int(seconds * 1000), ctypes.byref(newest), ctypes.byref(problem)):
            raise Error(problem.message.decode())
        return newest.value

    def events(self, after=0, seconds=0, path="/events"):
        """Events after this one, as they come; ends when nothing came for so many seconds."""
        seen = after
        while True:
            page = self.call("GET", f"{path}{'&' if '?' in path else '?'}after={after}&limit=500").body["data"]
            for event in page:
                after = event["seq"]
                yield event
            if not page:
                before, seen = max(seen, after), self.wait(max(seen, after), seconds)
                if seen <= before:
                    return

    def close(self):
        self.lib.skein_close(self.engine)
        self.engine = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def open(address, read_only=False, files=None):
    """Opens "sqlite:PATH" or "postgresql://…"; makes the store when there is none."""
    return Store(address, read_only, files)
